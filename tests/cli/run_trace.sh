#!/bin/sh
# SPDX-License-Identifier: MIT
# waits: for programs that sleep
# ulf run records from the first instruction, and prints the records to stderr, to a file or live.
#  It reports names that match no event.
. tests/cli/common

# sleeps_of PID NR: print a command for a script, which waits until the process has slept NR
# times.  The program sleeps after each event.  The command asks no server, because the server may
# be dead.
sleeps_of() {
	printf 'until [ "$(sed -n "s/^voluntary.*[^0-9]//p" /proc/%s/status)" -ge %s ]; do
	sleep 0.02; done' "$1" "$2"
}
# The script kills hello after some events.
cat >"$TMPDIR/program" <<EOF
#!/bin/sh
echo output of the program
"$hello" &
$(sleeps_of '$!' 30)
kill \$!
wait \$! 2>/dev/null
exit 0
EOF
chmod +x "$TMPDIR/program"

# check_lines FILE: the counts in FILE start at 0 and have no gap.
check_lines() {
	grep -o 'hello_request: count=[0-9]*' "$1" | sed 's/.*=//' >"$TMPDIR/counts"
	[ -s "$TMPDIR/counts" ] || fail "no records in $1: $(cat "$1")"
	awk '$1 != NR - 1 { exit 1 }' "$TMPDIR/counts" ||
		fail "records are missing: $(xargs <"$TMPDIR/counts")"
}

for word in hello:hello_request hello hello_request 'hello:*' 'hel*:hello_?equest'; do
	ulf run -e "$word" -- "$TMPDIR/program" >"$TMPDIR/out" 2>"$TMPDIR/err" ||
		fail "-e $word: status $?"
	expect "stdout" "output of the program" "$(cat "$TMPDIR/out")"
	check_lines "$TMPDIR/err"
	grep -q 'no event' "$TMPDIR/err" && fail "-e $word: $(cat "$TMPDIR/err")"
	ulf rm --dead
done

# The root is that of hello if ulf run starts hello without a shell.
ulf run -o "$TMPDIR/trace" -e hello -- "$hello" >"$TMPDIR/out" 2>"$TMPDIR/err" &
job=$!
pids=$job
is_hello() { pid=$(xargs <"/proc/$job/task/$job/children") && grep -qsx hello "/proc/$pid/comm"; }
until_true is_hello
let_run 30
kill "$pid"
wait $job
expect "status" 143 $?
check_lines "$TMPDIR/trace"
grep -q '^# tracer: nop' "$TMPDIR/trace" || fail "no header in the file"
grep -q 'hello_request:' "$TMPDIR/err" && fail "records on stderr in spite of -o"
root=$(ulf ls | awk 'NR > 1 { print $1 }')
grep -q "ulf cat $root/trace" "$TMPDIR/err" || fail "$(cat "$TMPDIR/err")"
ulf cat "$root/trace" | cmp - "$TMPDIR/trace" || fail "ulf cat shows something else"

ulf run --live -e hello -- "$TMPDIR/program" >"$TMPDIR/out" 2>"$TMPDIR/err" ||
	fail "--live: status $?"
check_lines "$TMPDIR/err"

# The server may be killed while the program runs; no record is lost.
cat >"$TMPDIR/killer" <<EOF
#!/bin/sh
"$hello" &
$(sleeps_of '$!' 20)
kill -9 "\$(cat "$ULF_DIR/server.lock")"
cut -d' ' -f1 /proc/uptime >"$TMPDIR/killed"
$(sleeps_of '$!' 70)
kill \$!
wait \$! 2>/dev/null
exit 0
EOF
chmod +x "$TMPDIR/killer"
for live in '' --live; do
	ulf run $live -e hello -- "$TMPDIR/killer" 2>"$TMPDIR/err" ||
		fail "status $?: $(cat "$TMPDIR/err")"
	check_lines "$TMPDIR/err"
	# There must be records from after the kill.  Time stamps are seconds of uptime.
	sed -n 's/.* \([0-9.]*\): hello_request:.*/\1/p' "$TMPDIR/err" |
		awk -v killed="$(cat "$TMPDIR/killed")" '$1 > killed + 0 { n++ }
			END { exit !n }' || fail "nothing after the kill: $(cat "$TMPDIR/err")"
done

# Names that match no event
ulf run -e nosuch:thing,hello -e 'x*' -- "$TMPDIR/program" >"$TMPDIR/out" 2>"$TMPDIR/err" ||
	fail "status $?"
check_lines "$TMPDIR/err"
grep -q '^ulf: no event matches `nosuch:thing`' "$TMPDIR/err" || fail "$(cat "$TMPDIR/err")"
grep -q '^ulf: no event matches `x\*`' "$TMPDIR/err" || fail "$(cat "$TMPDIR/err")"
grep -q '^ulf: no event matches `hello`' "$TMPDIR/err" && fail "$(cat "$TMPDIR/err")"
grep -q 'there are: hello:hello_request' "$TMPDIR/err" || fail "$(cat "$TMPDIR/err")"
exit 0
