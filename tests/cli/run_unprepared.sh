#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 600
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# Programs that nobody prepared print the same, and exit with the same status, while all functions
# of the program and of its libraries are traced, libc included.
. tests/cli/common

# same PROGRAM ARGS: run it without a tracer, and with each one.  Programs that are not installed
# are left out, and listed at the end.
nr=0 missing=
same() {
	path=$(command -v "$1") || { missing="$missing $1"; return; }
	case $(head -c 2 "$path") in '#!') missing="$missing $1 (a script)"; return ;; esac
	"$@" </dev/null >"$TMPDIR/plain" 2>&1
	status=$?
	for tracer in function function_graph; do
		ulf run -o "$TMPDIR/trace" --ftrace=$tracer --trace-options=all-objects -- \
			"$@" </dev/null >"$TMPDIR/traced" 2>"$TMPDIR/err"
		expect "$tracer: status of $*" $status $?
		# Messages of ulf itself begin with `ulf: '.
		sed '/^ulf: /d' "$TMPDIR/err" >>"$TMPDIR/traced"
		cmp "$TMPDIR/plain" "$TMPDIR/traced" || fail "$tracer: output of $*"
		[ "$(grep -vc '^#' "$TMPDIR/trace")" -gt 100 ] ||
			fail "$tracer: too few records of $*: $(cat "$TMPDIR/err")"
	done
	nr=$((nr + 1))
}

same bash -c 'for i in $(seq 50); do a[$i]=$((i * i)); done; echo ${a[@]}; (exit 3); echo $?
trap "echo trapped" EXIT; printf "%s\n" a b c | while read x; do echo $x; done; exit 4'
same /usr/bin/python3 -c '
import ctypes, hashlib, json, re, subprocess, threading
data = json.dumps([{"a": i, "b": str(i) * 3} for i in range(500)])
print(hashlib.sha256(data.encode()).hexdigest(), len(re.findall("1+", data)))
threads = [threading.Thread(target=lambda: sorted(range(5000), key=lambda x: -x)) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(subprocess.run(["echo", "hi"], capture_output=True).stdout)
print(ctypes.CDLL(None).strlen(b"seven77"))
try: 1 / 0
except ZeroDivisionError as e: print(e)'
# shellcheck disable=SC2016
same perl -e 'my %h; $h{$_ % 7} .= $_ for 1..2000; print join(",", map { length $h{$_} } sort keys %h);
eval { die "x\n" }; print $@; exit 5'
same ls -la /usr/bin
same sort -R --random-source=/bin/ls /etc/passwd
same xz -c /etc/passwd
if [ "${ULF_TORTURE-}" = long ]; then
	same gcc -O2 -S -o - -xc tests/tracefs/callee.c
	same git --version
	same openssl dgst -sha256 /bin/ls
	same gdb -q -batch -ex 'info line main' "$ULF_BUILD/tests/tracefs-callee"
fi
[ $nr -ge 4 ] || fail "only $nr programs"
echo "$nr programs${missing:+; not here:$missing}"
