#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf report prints the records of files as `trace` prints them: events, functions, nested blocks of
# calls.  It merges files, filters, and counts.
. tests/cli/common

emit=$ULF_BUILD/tests/clients-emit
cd "$TMPDIR" || fail "cd"

# same_lines FILE ROOT: the lines of the report are those of `trace` of the root, which is dead.
# The file has no sizes of functions: report shows where the next function begins.
same_lines() {
	ulf cat "$2/trace" | sed 's,\(+0x[0-9a-f]*\)/0x[0-9a-f]*,\1,g' >ours
	ulf report "$1" 2>err | sed 's,\(+0x[0-9a-f]*\)/0x[0-9a-f]*,\1,g' >theirs
	diff ours theirs >differences || fail "$1: $(head -n 20 differences) $(cat err)"
	[ "$(wc -l <ours)" -gt "$3" ] || fail "$1 has few lines: $(cat ours)"
}

# record_until NR FILE PROGRAM OPTIONS...: record PROGRAM until it has NR records in its buffer, and
# kill it.  Sets root.
record_until() {
	wanted=$1 file=$2 program=$3
	shift 3
	ulf record -o "$file" "$@" -- "$program" >out 2>err &
	recorder=$!
	until_true sh -c "ulf ls | grep -q '^${program##*/}.* alive'"
	root=$(ulf ls | sed -n "s/^\(${program##*/}[.0-9]*\) .*alive.*/\1/p")
	until_true has_records "$root" "$wanted"
	kill -9 "${root##*.}"
	wait $recorder
	expect "status of $file: $(cat err)" 137 $?
}

# ---- events, markers, trace_printk() ----
export ULF_TRACE=trace_options=nohash-ptr
record_until 500 kernel.dat "$ULF_BUILD/examples/minikernel" -e '*:*'
unset ULF_TRACE
same_lines kernel.dat "$root" 500
echo 5000 | ULF_TRACE='trace_options=record-tgid,sym-offset trace_clock=counter' \
	ulf record -o emit.dat -e emit -- "$emit" >out 2>err || fail "$(cat err)"
same_lines emit.dat clients-emit 5000

# ---- functions ----
for tracer in function function_graph; do
	record_until 1000 $tracer.dat "$ULF_BUILD/tests/tracefs-callee" -b 1M -p $tracer
	ulf cat "$root/trace" | tail -n 500 >ours
	ulf report $tracer.dat | tail -n 500 >theirs
	diff ours theirs >differences || fail "$tracer: $(head -n 20 differences)"
	ulf report $tracer.dat | head -n 1 | grep -qx "# tracer: $tracer" || fail "header of $tracer"
done
contains "$(cat theirs)" "  middle() {"
ulf report -e nosuch function.dat 2>err && fail "an event that is not there"
contains "$(cat err)" 'no event `nosuch`'

# ---- filters ----
lines() { ulf report "$@" | grep -vc '^#'; }
expect "a filter" 3 "$(lines -f 'number < 4 && number != 1' emit.dat)"
expect "events" 5000 "$(lines -e emit:emit_number emit.dat)"
expect "a filter that no event passes" 0 "$(lines -f 'number < 0' emit.dat)"
expect "a filter by comm" 5000 "$(lines -f 'comm == "clients-emit"' emit.dat)"
text=$(ulf report -f 'nosuch > 1' emit.dat 2>&1) && fail "a field that is not there"
contains "$text" "Field not found"
echo 1000 | ulf record -o time.dat -e emit -- "$emit" >out 2>err || fail "$(cat err)"
# Lines have times that are rounded to microseconds, half a microsecond up.
times=$(ulf report time.dat | sed -n 's/.* \([0-9.]*\): emit_number.*/\1/p')
middle=$(echo "$times" | sed -n 500p)
expect "all lines, before and after a time" "$(echo "$times" | awk "\$1 + 0 >= $middle" | wc -l)" \
	"$(lines --since "$(echo "$middle" | awk '{ printf "%.7f", $1 - 0.0000005 }')" time.dat)"
expect "until" "$(echo "$times" | awk "\$1 + 0 < $middle" | wc -l)" \
	"$(lines --until "$(echo "$middle" | awk '{ printf "%.9f", $1 - 0.000000501 }')" time.dat)"

# ---- several files ----
echo 20 | ulf record -o a.dat -e emit -- "$emit" >out 2>err || fail "$(cat err)"
echo 30 | ulf record -o b.dat -e emit -- "$emit" >out 2>err || fail "$(cat err)"
ulf report b.dat a.dat | grep -v '^#' >both
{ ulf report a.dat; ulf report b.dat; } | grep -v '^#' >each
cmp both each || fail "the files are not in order of time"

# ---- numbers ----
echo 100000 | ulf record -b 16K -o lost.dat -e emit -- "$emit" >out 2>err || fail "$(cat err)"
lost=$(sed -n 's/^lost.dat.*, \([0-9]*\) lost/\1/p' err)
stats=$(ulf report --stats lost.dat)
contains "$stats" "written  100000"
contains "$stats" "saved    $((100000 - lost))"
contains "$stats" "lost     $lost"
echo "$stats" | grep -qx " *$((100000 - lost)) .*  emit:emit_number" || fail "$stats"
reported=$(ulf report lost.dat | sed -n 's/.*\[LOST \([0-9]*\) EVENTS\]/\1/p' |
	awk '{ n += $1 } END { print n + 0 }')
[ "$reported" -le "$lost" ] || fail "lines report $reported lost records of $lost"

# ---- files that are no such files ----
text=$(ulf report ./nosuch 2>&1) && fail "no file"
contains "$text" "No such file"
text=$(ulf report "$emit" 2>&1) && fail "no trace.dat"
contains "$text" "this is no trace.dat"
head -c 5000 kernel.dat >short.dat
ulf report short.dat >out 2>err && fail "a file that is cut short"
ulf report --since x emit.dat 2>err
expect "status of a wrong time" 2 $?
exit 0
