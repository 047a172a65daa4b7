#!/bin/sh
# SPDX-License-Identifier: MIT
# While a program runs under ulf run, ulf passes SIGTERM and SIGHUP on to the program.  SIGINT and
# SIGQUIT come from the terminal to both processes, and only the program handles them.
. tests/cli/common

# program SIGNAL: prints "ready", and exits with 5 when it gets SIGNAL.
cat >"$TMPDIR/program" <<'EOF'
#!/bin/sh
trap 'echo got; exit 5' "$1"
echo ready
while :; do sleep 0.02; done
EOF
chmod +x "$TMPDIR/program"
is_ready() { grep -q ready "$TMPDIR/out"; }

# A shell starts background jobs with SIGINT ignored, so set its default action again.
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

# Send the signal to the whole process group, as the terminal does.
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

# The program does not catch the signal: program and ulf both die of it.
start ulf run -- sh -c 'echo ready; exec sleep 1000'
kill -TERM $job
wait $job
expect "status after a deadly SIGTERM" 143 $?

# A signal that is ignored from the start is still ignored in the program.
(trap '' INT; ulf run -- sh -c 'kill -INT $$; exit 3' 2>/dev/null)
expect "status when SIGINT is ignored" 3 $?
exit 0
