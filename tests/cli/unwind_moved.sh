#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 600
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# A signal handler finds the callers of a moved function at each instruction of its slot, of its
# copy, and of its stub: by backtrace(), by throwing an exception, by cancelling the thread, and by
# libulf's own stacks.  stepped.cpp describes the program.
. tests/cli/common

g++ -O2 -std=gnu++17 -D_GNU_SOURCE -fnon-call-exceptions -pthread -o "$TMPDIR/stepped" \
	tests/cli/stepped.cpp || fail g++

# At least: the call and the jump of the slot, and one instruction of the copy.
for tracer in function function_graph; do
	ulf run -o "$TMPDIR/trace" --ftrace=$tracer --ftrace-filter='moved_*' -- \
		"$TMPDIR/stepped" >"$TMPDIR/out" 2>"$TMPDIR/err" ||
		fail "$tracer: $(cat "$TMPDIR/out" "$TMPDIR/err")"
	expect "$tracer: functions" 11 "$(awk '$2 >= 3 { n++ } END { print n }' "$TMPDIR/out")"
	# An address at the first byte of a function is printed as a number.
	expect "$tracer: libulf's stacks" "$(awk '{ n += $2 } END { print n }' "$TMPDIR/out")" \
		"$(awk '/<stack trace>/ { at = 0 } { at++ }
			at == 3 && /=> __restore_rt/ { seen = 1 }
			at == 4 { found = seen && /=> (moved_|0x)/; seen = 0 }
			at == 5 { found = found && /=> thunk/ }
			at == 8 && found && /=> main/ { n++ }
			END { print n + 0 }' "$TMPDIR/trace")"
done

# A program that was started without libulf.
mkfifo "$TMPDIR/go"
"$TMPDIR/stepped" wait <"$TMPDIR/go" >"$TMPDIR/out" 2>"$TMPDIR/err" &
pid=$!
trap 'kill -KILL $pid 2>/dev/null' EXIT
exec 9>"$TMPDIR/go"
# The shell's child has opened the FIFO, too, before it became the program.
until_true grep -qx stepped "/proc/$pid/comm"
ulf attach "$pid" >"$TMPDIR/attached" 2>&1 || fail "attach: $(cat "$TMPDIR/attached")"
root=$(head -n 1 "$TMPDIR/attached")
ulf echo 'moved_*' "$root/set_ftrace_filter" || fail "filter"
ulf echo function_graph "$root/current_tracer" || fail "function_graph"
echo >&9
wait "$pid" || fail "attached: status $?: $(cat "$TMPDIR/out" "$TMPDIR/err")"
expect "attached: functions" 11 "$(awk '$2 >= 3 { n++ } END { print n }' "$TMPDIR/out")"
