#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 1200
# timeout: 1200
# openssl computes the same, and its server and client understand each other, while all functions
# of it and of its libraries are traced, and while tracing is switched at random.
. tests/proof/common
need openssl
mkdir "$TMPDIR/bin"
wrap openssl "$TMPDIR/bin/openssl"
openssl() { "$TMPDIR/bin/openssl" "$@"; }
head -c "$(is_long && echo 30000000 || echo 300000)" /dev/urandom >"$TMPDIR/data"
key=00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff

run_digests() {
	for digest in md5 sha1 sha256 sha512 sha3-256 shake128 blake2b512 sm3 ripemd160; do
		openssl dgst -$digest "$TMPDIR/data"
	done
	openssl dgst -sha256 -hmac key "$TMPDIR/data"
}
run_ciphers() {
	for cipher in aes-128-cbc aes-256-ctr aes-256-cbc aes-192-ecb chacha20 camellia-256-cbc \
		aria-128-cbc sm4-cbc; do
		openssl enc -$cipher -K $key -iv ${key%????????????????????????????????} \
			-in "$TMPDIR/data" -out coded
		cksum <coded
		openssl enc -d -$cipher -K $key -iv ${key%????????????????????????????????} \
			-in coded | cmp - "$TMPDIR/data" && echo "$cipher: the same"
	done 2>&1 | grep -v 'too long'
}
run_keys() {
	openssl genrsa -out rsa 2048
	openssl genpkey -algorithm ed25519 -out ed25519
	openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out ec
	head -c 20000 "$TMPDIR/data" >text
	for name in rsa ec; do
		openssl pkey -in $name -pubout -out $name.pub
		openssl dgst -sha256 -sign $name -out signature text
		openssl dgst -sha256 -verify $name.pub -signature signature text
		openssl dgst -sha256 -verify $name.pub -signature signature "$TMPDIR/data"
	done
	openssl pkey -in ed25519 -pubout -out ed25519.pub
	openssl pkeyutl -sign -inkey ed25519 -rawin -in text -out signature
	openssl pkeyutl -verify -pubin -inkey ed25519.pub -rawin -in text -sigfile signature
	openssl req -x509 -key rsa -subj /CN=ulf -out cert -set_serial 5 -days 3
	openssl x509 -in cert -noout -subject -issuer -serial
	openssl verify -CAfile cert cert
	openssl cms -encrypt -in text -binary -out cms cert
	openssl cms -decrypt -in cms -inkey rsa -recip cert | cmp - text && echo "cms: the same"
	openssl pkcs12 -export -in cert -inkey rsa -passout pass:x | openssl pkcs12 -passin pass:x \
		-nodes -nocerts 2>&1 | grep -c PRIVATE
}
# A line is sent to a server that sends it back reversed.
run_handshakes() {
	openssl req -x509 -newkey rsa:2048 -nodes -keyout rsa -out cert -subj /CN=ulf -days 3 2>/dev/null
	port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0))
print(s.getsockname()[1])')
	openssl s_server -accept 127.0.0.1:$port -cert cert -key rsa -rev >server 2>&1 &
	server=$!
	for try in $(seq 600); do
		grep -q ACCEPT server && break
		sleep 0.1
	done
	mkfifo to
	for version in tls1_2 tls1_3 tls1_3 tls1_2; do
		openssl s_client -$version -connect 127.0.0.1:$port -CAfile cert <to >client 2>&1 &
		client=$!
		exec 9>to
		echo "a line for $version" >&9
		# The answer comes after the handshake, and before the end of the input.
		until grep -q enil client || is_gone $client; do sleep 0.05; done
		exec 9>&-
		wait $client
		echo "client: $?"
		grep -a '^New,\|Verify return code\|enil a' client | sort -u
	done
	kill $server
	{ wait $server; } 2>/dev/null
	echo "server: $?"
}
run_speed() {
	openssl speed -seconds 1 sha256 rsa2048 2>&1 | grep -c '[0-9]s'
	openssl prime 1000003 1000005
	openssl rand -hex 20 | wc -c
	openssl asn1parse -in /etc/ssl/certs/ca-certificates.crt | sed 5q
	openssl list -digest-algorithms
}
# Messages begin with the number of a thread.
run_part() { "run_$1" 2>&1 | sed 's/^[0-9A-F]*:error:/error:/'; }
in_phases run_part "$(is_long && echo digests ciphers keys handshakes speed || echo keys)"
echo "score: openssl $score"
