#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 300
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# ulf offcpu prints how long threads sleep: as often as the kernel has counted, and for as long as
# the program has measured, by system call and stack.
. tests/cli/common
program=$ULF_BUILD/tests/cli-offcpu
cd "$TMPDIR" || fail "cd"
mkfifo lines
ulf server --background

# has_begun PID: the recording of `ulf offcpu` PID of $root has begun.
has_begun() { ulf cat "$root/instances/record.$1/trace" 2>/dev/null | grep -q 'ulf offcpu: begin'; }
# has_ended PID: the process has ended.
has_ended() { ! kill -0 "$1" 2>/dev/null; }
# record WORD ARG...: run `ulf offcpu ARG... WORD` while the program sleeps.  Its root is $root,
# and its output `out`.
record() {
	word=$1
	shift
	ulf offcpu -t 1000 "$@" "$word" >table 2>err &
	offcpu=$!
	if [ -z "$root" ]; then
		until_true is_listed cli-offcpu alive
		root=$(ulf ls | sed -n 's/^\(cli-offcpu[^ ]*\) .* alive .*/\1/p')
	fi
	until_true eval 'has_begun $offcpu || has_ended $offcpu'
	if has_ended $offcpu; then
		grep -q 'late events' err && skip "the system refuses perf_event_open(): $(cat err)"
		fail "ulf offcpu: $(cat err)"
	fi
	echo >&3
	until_true grep -qs '^read' out
	kill -INT $offcpu
	wait $offcpu || fail "status $?: $(cat err)"
}
is_listed() { ulf ls | grep -q "^$1.* $2 "; }

cat >check <<'END'
import json, sys
got = json.load(open(sys.argv[1]))
assert got['lost'] == 0, got
functions = {'clock_nanosleep': 'take_nap', 'poll': 'wait_in_poll', 'futex': 'wait_for_condition',
             'read': 'read_answer'}
for line in open('out'):
    call, nr, sleeps, ns = line.split()
    nr, sleeps, ns = int(nr), int(sleeps), int(ns)
    rows = [row for row in got['calls'] if row['call'] == call and functions[call] in row['stack']]
    assert rows, (line, got['calls'])
    assert all('main' in row['stack'] for row in rows), rows
    total = sum(row['total_ns'] for row in rows)
    assert sum(row['sleeps'] for row in rows) == sleeps, (line, rows)
    assert nr / 2 <= sleeps <= nr, line
    assert total <= ns, (line, rows)
    assert call == 'read' or total >= sleeps * 5000000, (line, rows)
    assert all(row['max_ns'] <= row['total_ns'] for row in rows), rows
    assert all(row['max_ns'] * row['sleeps'] >= row['total_ns'] for row in rows), rows
assert sum(row['total_ns'] for row in got['calls']) == got['asleep_ns']
assert sum(row['sleeps'] for row in got['calls']) == got['sleeps']
# Each moment of a thread is a sleep, a preemption, or it runs.
assert got['asleep_ns'] + got['preempted_ns'] <= got['span_ns'] * got['threads'], got
END
# check_sleeps JSON: the numbers are those of the program, and the stacks have its functions.
check_sleeps() { python3 check "$1" || fail "$1: $(cat "$1") $(cat out)"; }

# ---- a program that was started with --syscalls ----

ulf run --syscalls -- "$program" <lines >out 2>run.err &
run=$!
exec 3>lines
until_true is_listed cli-offcpu alive
root=$(ulf ls | sed -n 's/^\(cli-offcpu[^ ]*\) .* alive .*/\1/p')
record "$root" -o kept.dat --json=sleeps.json --svg sleeps.svg --folded sleeps.folded
check_sleeps sleeps.json
expect "instances that are left" "" "$(ulf ls "$root/instances" 2>/dev/null | grep record)"
expect "files that are left" "" "$(find . -name "ulf-offcpu*")"

# The table has the same numbers.
table=$(cat table)
contains "$table" "SYSTEM CALL, AND ITS STACK"
contains "$table" "take_nap"
expect "sleeps in the table" "$(awk '$1 == "clock_nanosleep" { print $3 }' out)" \
	"$(awk '$NF == "clock_nanosleep" && NF == 5 { n += $2 } END { print n }' table)"
expect "rows" 1 "$(ulf offcpu -n 1 kept.dat | grep -cE '^ +[0-9.]+ +[0-9]+ +[0-9.]+ +[0-9.]+  ')"

# Folded stacks have the same times, the outermost function first.
expect "time of the folded stacks" "$(sed -n 's/.*"asleep_ns": \([0-9]*\),/\1/p' sleeps.json)" \
	"$(awk '{ ns += $NF } END { print ns }' sleeps.folded)"
grep -q 'main;.*take_nap;.*clock_nanosleep [0-9]*$' sleeps.folded || fail "$(cat sleeps.folded)"

# The flame graph is XML, and each box has its numbers.
python3 - sleeps.svg <<'END' || fail "$(cat sleeps.svg)"
import sys, xml.etree.ElementTree as tree
titles = [node.text for node in tree.parse(sys.argv[1]).iter('{http://www.w3.org/2000/svg}title')]
assert titles[0].startswith('all: '), titles
assert any(title.startswith('take_nap: ') and ' sleeps, ' in title and ', longest ' in title
           for title in titles), titles
END

# ---- a recording that was kept ----

ulf offcpu --json=again.json kept.dat >/dev/null 2>&1 || fail "kept.dat"
cmp sleeps.json again.json || fail "the file has other numbers"
ulf offcpu --min 5000 --json - kept.dat >long.json 2>err || fail "$(cat err)"
python3 - sleeps.json long.json <<'END' || fail "$(cat long.json)"
import json, sys
every, long = [json.load(open(path)) for path in sys.argv[1:]]
assert long['sleeps'] + long['short_sleeps'] == every['sleeps']
assert long['asleep_ns'] + long['short_ns'] == every['asleep_ns']
assert long['short_sleeps'] and all(row['max_ns'] >= 5000000 for row in long['calls'])
END
echo >&3
wait $run

# ---- a program without libulf ----

: >out
root=
"$program" <lines >out &
plain=$!
exec 3>lines
record $plain --json sleeps.json
check_sleeps sleeps.json
echo >&3
wait $plain

# ---- refusals ----

# refused STATUS TEXT COMMAND...
refused() {
	wanted=$1 text=$2
	shift 2
	"$@" >/dev/null 2>err
	expect "status of $*" "$wanted" $?
	contains "$(cat err)" "$text"
}
"$hello" &
pids=$!
until_true is_listed hello alive
refused 1 'ulf run --syscalls' ulf offcpu -t 1 hello
refused 1 'nosuch' ulf offcpu nosuch
refused 2 '--time: `x`' ulf offcpu -t x hello
refused 2 'is a file' ulf offcpu -t 1 kept.dat
refused 2 usage ulf offcpu a b
ulf record -o calls.dat -e hello:hello_request hello >/dev/null 2>&1 &
recorder=$!
until_true eval 'ulf ls hello/instances 2>/dev/null | grep -q record'
until_true has_records "hello/instances/record.$recorder" 5
kill -INT $recorder
wait $recorder
refused 1 'no record of ulf_sched:sched_switch' ulf offcpu calls.dat
kill $pids
