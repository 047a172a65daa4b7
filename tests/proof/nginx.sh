#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 1200
# timeout: 1200
# nginx serves right files from several workers, is reloaded and ends as always, while all
# functions of it and of its libraries are traced, and while tracing is switched at random.
. tests/proof/common
. tests/proof/loads
reason=$(can_nginx | head -n 1)
[ -z "$reason" ] || skip "$reason (tools/setup --proof)"
mkdir -p "$TMPDIR/bin"
wrap nginx "$TMPDIR/bin/nginx" /usr/sbin
seconds=$(is_long && echo 10 || echo 1)
wrk=$(find_program wrk) || wrk=

fetch() { python3 - "$@" <<'END'
import hashlib, http.client, sys

port, = sys.argv[1:]
connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=120)
for method, path, headers in (
	[("GET", f"/f{i}", {}) for i in range(1, 6)] * 20 +
	[("HEAD", "/f3", {}), ("GET", "/none", {}), ("POST", "/f2", {}), ("GET", "/../etc", {}),
	 ("GET", "/f4", {"Range": "bytes=100-299,1000-"}), ("GET", "/f4", {"Range": "bytes=-7"}),
	 ("GET", "/f1", {"Accept-Encoding": "gzip"}), ("GET", "/f4", {"If-Match": "x"}),
	 ("GET", "/", {}), ("GET", "/f5", {"Connection": "close"})]):
	connection.request(method, path, headers=headers)
	answer = connection.getresponse()
	data = answer.read()
	if answer.getheader("Content-Type", "").startswith("multipart"):
		data = b"%d" % len(data)	# the boundary is a number of its own
	print(method, path, answer.status, len(data), hashlib.sha256(data).hexdigest())
END
}
run_server() {
	make_nginx "$TMPDIR/www" daemon
	"$TMPDIR/bin/nginx" -c "$TMPDIR/nginx.conf" -e "$TMPDIR/nginx.log"
	echo "start: $?"
	until_true test -s "$TMPDIR/nginx.pid"
	master=$(cat "$TMPDIR/nginx.pid")
	fetch "$port"
	if [ -n "$wrk" ]; then
		LD_LIBRARY_PATH=$(libraries_of "$wrk") "$wrk" -t 2 -c 10 -d "$seconds" \
			"http://127.0.0.1:$port/f4" >"$TMPDIR/wrk" 2>&1 &
		for reload in 1 2 3; do
			sleep 0.2
			kill -HUP "$master"
		done
		wait $!
		# A reload closes connections that wait for their next request.
		grep 'Non-2xx\|connect [1-9]\|unable' "$TMPDIR/wrk"
	fi
	fetch "$port"
	"$TMPDIR/bin/nginx" -c "$TMPDIR/nginx.conf" -e "$TMPDIR/nginx.log" -s quit
	until_true is_gone "$master"
	grep -i 'alert\|emerg\|crit\|exited on signal' "$TMPDIR/nginx.log"
	rm -f "$TMPDIR/nginx.log"
}
in_phases run_server once
echo "score: nginx $score"
