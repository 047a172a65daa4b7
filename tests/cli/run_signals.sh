#!/bin/sh
# SPDX-License-Identifier: MIT
# While a program runs under ulf run: SIGTERM and SIGHUP sent to ulf reach the
# program; the terminal's SIGINT and SIGQUIT, which go to both, are the
# program's to deal with.
. tests/cli/common

# program SIGNAL: says so when it is ready, ends with 5 when it gets SIGNAL.
cat >"$TMPDIR/program" <<'EOF'
#!/bin/sh
trap 'echo got; exit 5' "$1"
echo ready
while :; do sleep 0.02; done
EOF
chmod +x "$TMPDIR/program"
is_ready() { grep -q ready "$TMPDIR/out"; }

# A background job ignores SIGINT unless told otherwise.
start() {
	: >"$TMPDIR/out"
	env --default-signal=INT,QUIT "$@" >"$TMPDIR/out" 2>"$TMPDIR/err" &
	job=$!
	until_true is_ready
}

for signal in TERM HUP; do
	start ulf run -- "$TMPDIR/program" $signal
	kill -$signal $job
	wait $job
	expect "status after SIG$signal to ulf" 5 $?
	grep -qx got "$TMPDIR/out" || fail "SIG$signal did not arrive"
done

# To the whole process group, as the terminal does.
for signal in INT QUIT; do
	start setsid --wait ulf run -- "$TMPDIR/program" $signal
	group=$(ps -o pgid= -C ulf | sort -u | while read -r one; do
		[ "$(ps -o comm= -p "$one")" = ulf ] &&
			tr '\0' ' ' <"/proc/$one/cmdline" |
			grep -q "ulf run -- $TMPDIR/program" && echo "$one"
	done)
	[ -n "$group" ] || fail "no process group: $(ps -eo pid,pgid,args)"
	kill -s $signal -- "-$group"
	wait $job
	expect "status after the terminal's SIG$signal" 5 $?
done

# Not caught: the program dies of it, and ulf of the same.
start ulf run -- sh -c 'echo ready; exec sleep 1000'
kill -TERM $job
wait $job
expect "status after a deadly SIGTERM" 143 $?

# Ignored from the start: still ignored in the program.
(trap '' INT; ulf run -- sh -c 'kill -INT $$; exit 3' 2>/dev/null)
expect "status when SIGINT is ignored" 3 $?
exit 0
