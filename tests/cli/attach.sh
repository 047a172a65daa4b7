#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# ulf attach loads libulf into a running program, which has a root then as any other program; its
# functions can be traced.  ulf detach switches everything off.  Attaching again uses the same
# root.  The program notices nothing, and no memory stays that can be written and executed.
. tests/cli/common

# A name that no other process has.
name=att$$
cp "$ULF_BUILD/tests/cli-attached" "$TMPDIR/$name"
# The program has another directory in its environment: that of the caller counts.
start() { # start the program; sets $pid
	: >"$TMPDIR/out"
	ULF_DIR=/nonexistent "$TMPDIR/$name" >"$TMPDIR/out" &
	pid=$!
	pids="$pids $pid"
	until_true grep -q ready "$TMPDIR/out"
}
stop() { # end the program, which has checked itself
	kill -TERM "$pid"
	wait "$pid" || fail "the program: status $?: $(cat "$TMPDIR/out")"
	contains "$(cat "$TMPDIR/out")" "rounds, 0 wrong"
}
trap 'kill -KILL $pids 2>/dev/null' EXIT

start
out=$(ulf attach "$name" 2>"$TMPDIR/err") || fail "attach: $(cat "$TMPDIR/err")"
root=$name.$pid
expect "first line" "$root" "$(echo "$out" | head -n 1)"
echo "$out" | grep -qE '^stopped: one thread.* for [0-9.]+ ms' || fail "no time of the stop: $out"
is_listed "$root" "$pid" || fail "not listed: $(ulf ls)"
contains "$(ulf cat "$root/available_filter_functions")" "work"
ulf echo work "$root/set_ftrace_filter"
ulf echo function_graph "$root/current_tracer"
has_work() { ulf cat "$root/trace" | grep -q '|  work();'; }
until_true has_work
ulf echo 'work:traceoff:5' "$root/set_ftrace_filter" 2>/dev/null
ulf detach "$name" >"$TMPDIR/out2" 2>"$TMPDIR/err" || fail "detach: $(cat "$TMPDIR/err")"
contains "$(cat "$TMPDIR/out2")" "stays in the program"
expect "tracer" nop "$(ulf cat "$root/current_tracer")"
expect "commands" "" "$(ulf cat "$root/set_ftrace_filter" | grep : || :)"
expect "memory that can be written and executed" "" \
	"$(awk '$2 ~ /wx/' "/proc/$pid/maps")"
expect "tracer of the program" 0 "$(awk '/^TracerPid/ { print $2 }' "/proc/$pid/status")"

# Attaching again finds the root; settings are for a new root.
expect "again" "$root" "$(ulf attach "$pid" | head -n 1)"
ulf attach -e 'x:y' "$pid" 2>"$TMPDIR/err" && fail "settings for a root that exists"
contains "$(cat "$TMPDIR/err")" "its root is $root"
stop

# A child of a program that has libulf belongs to the root of its parent.
cat >"$TMPDIR/fork.sh" <<'END'
while [ ! -e "$1" ]; do n=$((n + 1)); done
(while [ ! -e "$2" ]; do n=$((n + 1)); done) &
echo "child $!"
wait
END
bash "$TMPDIR/fork.sh" "$TMPDIR/go" "$TMPDIR/end" >"$TMPDIR/forked" &
parent=$!
pids="$pids $parent"
is_bash() { [ "$(cat "/proc/$parent/comm")" = bash ]; }
until_true is_bash
old=$(ulf attach "$parent" 2>&1 | head -n 1)
touch "$TMPDIR/go"
until_true grep -q child "$TMPDIR/forked"
child=$(sed -n 's/^child //p' "$TMPDIR/forked")
expect "root of a child" "$old" "$(ulf attach "$child" 2>&1 | head -n 1)"
touch "$TMPDIR/end"
wait "$parent" || fail "bash: status $?"

# Settings hold from the start.
start
ulf attach --ftrace=function --ftrace-filter=work --trace-buf-size=64K "$pid" >"$TMPDIR/out2" ||
	fail "attach with settings"
root=$name.$pid
expect "tracer" function "$(ulf cat "$root/current_tracer")"
expect "filter" work "$(ulf cat "$root/set_ftrace_filter")"
has_function() { ulf cat "$root/trace" | grep -q 'work <-main'; }
until_true has_function
stop

# Many programs, one after the other, and attached to at any moment of their start.
for i in $(seq "$([ -n "${ULF_TORTURE-}" ] && echo 300 || echo 10)"); do
	start
	ulf attach "$pid" >/dev/null 2>"$TMPDIR/err" || fail "$i: $(cat "$TMPDIR/err")"
	stop
done

# ulf attach is killed at any moment.  The program notices nothing, and can be attached to.
for i in $(seq "$([ -n "${ULF_TORTURE-}" ] && echo 300 || echo 20)"); do
	start
	ulf attach "$pid" >/dev/null 2>&1 &
	killed=$!
	sleep "0.00$((i % 10))"
	kill -KILL "$killed" 2>/dev/null
	wait "$killed" 2>/dev/null
	expect "tracer after a death" 0 "$(awk '/^TracerPid/ { print $2 }' "/proc/$pid/status")"
	expect "root after a death" "$name.$pid" "$(ulf attach "$pid" 2>&1 | head -n 1)"
	stop
done

# Several processes with one name are listed.
start
first=$pid
start
ulf attach "$name" 2>"$TMPDIR/err" && fail "an ambiguous name"
for one in $first $pid; do contains "$(cat "$TMPDIR/err")" "$one"; done
ulf attach nosuchprogram 2>"$TMPDIR/err" && fail "no such program"
contains "$(cat "$TMPDIR/err")" "no process of this user"
exit 0
