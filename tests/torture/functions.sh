#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 300
# no-sanitize: thread a libulf that is built for it cannot be loaded by other programs
# The threads of a program throw, jump, fork, get signals and load libraries all the time
# (tests/data/functions/storm).  Meanwhile the traced functions change at random, the server
# is killed, and processes are killed during a change.  The records of function_graph must be
# consistent.  ULF_SEED repeats a run.
. tests/tracefs/common
rounds=3 deaths=1
[ "${ULF_TORTURE-}" != long ] || rounds=2000 deaths=500
seed=${ULF_SEED:-$(od -An -N3 -tu4 /dev/urandom | tr -d ' ')}
echo "ULF_SEED=$seed"

source=tests/data/functions
command -v g++ >/dev/null || skip "no g++"
g++ -O2 -g -w -pthread -fpatchable-function-entry=5 $source/storm/storm.cpp -o "$TMPDIR/storm" -ldl ||
	fail "the program"
gcc -O2 -fPIC -shared -fpatchable-function-entry=5 -o "$TMPDIR/plugged.so" $source/plugged.c ||
	fail "the library"

# pick LIMIT: set picked to a random number below LIMIT.
pick() {
	seed=$(((seed * 1103515245 + 12345) % 2147483648))
	picked=$((seed / 65536 % $1))
}
# one_of WORDS: set picked to one of WORDS; - stands for the empty text.
one_of() {
	pick $#
	shift "$picked"
	picked=$1
	[ "$picked" != - ] || picked=
}
nap() {
	pick 40
	sleep "0.0$(printf %02d "$picked")"
}

start_storm() {
	start_root storm 0 env LD_PRELOAD="$preload" "$TMPDIR/storm" "$TMPDIR/plugged.so"
}

# put FILE TEXT: write a random setting.  The write may fail, for example because the library
# with the function is not loaded just now.
put() { ulf echo "$2" "$root/$1" 2>/dev/null; }
change_list() {
	one_of set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace max_graph_depth \
		set_ftrace_pid set_ftrace_notrace_pid options/funcgraph-irqs
	file=$picked
	case $file in
	*_pid) one_of - - $(ls "/proc/$pid/task" 2>/dev/null) ;;
	*_depth) one_of 0 0 0 3 7 ;;
	*-irqs) one_of 0 1 1 ;;
	*notrace) one_of - - 'storm_handler' 'storm_p*ng' '*' ;;
	*) one_of - - - 'storm_*' storm_fib 'storm_t*' plugged_adds storm_turn ;;
	esac
	put "$file" "$picked"
}
change_tracer() {
	one_of current_tracer current_tracer instances/other/current_tracer instances/third/current_tracer \
		tracing_on instances/other/tracing_on
	file=$picked
	case $file in
	*tracing_on) one_of 0 1 1 ;;
	*) one_of nop function function_graph ;;
	esac
	put "$file" "$picked"
}
# change_third: change an instance that is not checked, while the others record.
change_third() {
	one_of nop function function_graph function_graph
	put instances/third/current_tracer "$picked"
	one_of - 'storm_*' storm_fib storm_turn
	put instances/third/set_ftrace_filter "$picked"
}
change() {
	for i in 1 2 3 4 5 6 7 8; do
		pick 3
		if [ "$picked" = 0 ]; then change_tracer; else change_list; fi
	done
}

forget_lists() {
	for file in set_ftrace_filter set_ftrace_notrace set_graph_function set_graph_notrace set_ftrace_pid \
		    set_ftrace_notrace_pid; do
		ulf echo "" "$root/$file" || fail "$file"
	done
	ulf echo 0 "$root/max_graph_depth" || fail "max_graph_depth"
}

# check_graph FILE: for each thread, each exit must belong to an entry at the same depth, and
# each entry may have only one exit.  Functions that were open when recording began are not
# known (?).  Frames that an exception or a jump has left have no exit.  A handler that runs
# just after an entry was recorded makes calls at the depth of this entry.  So there is a
# stack of names for each depth, with ? or . at its bottom.  The arrows around handlers are
# not calls.
check_graph() {
	awk -F'|' '
	NF >= 3 && /^ *[0-9]+\) / && !/==/ {
		thread = $1; sub(/.*-/, "", thread); thread += 0
		text = $3; match(text, /^ */); depth = RLENGTH / 2 - 1
		text = substr(text, RLENGTH + 1); name = text
		gsub(/[^a-zA-Z0-9_]/, "", name)
		open = (thread, depth) in state ? state[thread, depth] : "?"
		if (text ~ /\{$/) {
			open = open " " name
		} else if (text ~ /^}/) {
			was = open
			while (open ~ / / && open !~ " " name "$") sub(/ [^ ]*$/, "", open)
			if (open == ".") {
				print NR ": thread " thread ", depth " depth ": " text " after " was; bad = 1
			}
			if (open == "?") open = "."
			sub(/ [^ ]*$/, "", open)
		}
		state[thread, depth] = open
		state[thread, depth + 1] = "."
		for (d = depth + 2; (thread, d) in state; d++) state[thread, d] = "."
		nr += text ~ /^}|;$/
	}
	END { if (bad) exit 1; print nr + 0 }' "$1"
}

# context ERROR: print the records of the thread of this error up to the error.
context() {
	line=${1%%:*} thread=${1#*thread } thread=${thread%%,*}
	head -n "$line" "$TMPDIR/trace" | grep -e "-$thread " | tail -n 60
}

# run_on CPUS: bind all threads of the program to these CPUs.
run_on() { taskset -acp "$1" "$pid" >/dev/null 2>&1; }

has_calls() { [ "$(ulf cat "$root/trace" | wc -l)" -gt 300 ]; }
# print_why: print why the program hangs, or why it is not traced.
print_why() {
	grep -H . "/proc/$pid"/task/*/wchan
	gdb -p "$pid" -batch -ex 'thread apply all backtrace 20' 2>/dev/null
	for file in current_tracer tracing_on set_ftrace_filter set_ftrace_notrace set_graph_function \
		    set_graph_notrace set_ftrace_pid set_ftrace_notrace_pid max_graph_depth \
		    enabled_functions "per_cpu/cpu$cpu/stats"; do
		echo "$file: $(ulf cat "$root/$file" | head -n 20)"
	done
}
check() {
	for i in instances/other/ instances/third/ ""; do
		ulf echo nop "$root/${i}current_tracer" || fail "$i nop"
	done
	forget_lists
	# Use one CPU: `trace` does not know which functions are open on another CPU, and
	# would show the entry of one call and the exit of the next call as one call.
	run_on "$cpu"
	for i in "" instances/other/; do
		ulf echo 1 "$root/${i}tracing_on" || fail "tracing_on"
		ulf echo function_graph "$root/${i}current_tracer" || fail "function_graph"
	done
	for option in funcgraph-proc funcgraph-tail; do
		ulf echo "$option" "$root/trace_options" || fail "$option"
		ulf echo "$option" "$root/instances/other/trace_options" || fail "$option"
	done
	(until_true has_calls) || {
		print_why
		exit 1
	}
	change_list
	change_third
	nap
	change_third
	change_list
	change_third
	pick 2
	[ "$picked" = 0 ] || ulf echo nop "$root/instances/third/current_tracer" || fail "nop"
	for i in "" instances/other/; do
		ulf echo 0 "$root/${i}tracing_on" || fail "tracing_on"
	done
	# The program uses all CPUs, so stop it while its records are read and checked.
	kill -STOP "$pid"
	ulf cat "$root/trace" >"$TMPDIR/trace" || fail "trace"
	check_trace "$(ulf mount)/$root"
	ulf cat "$root/instances/other/trace" >"$TMPDIR/trace" || fail "trace"
	! grep -E '(\(\)|} /\*)' "$TMPDIR/trace" | grep -v storm_fib | grep . || fail "not its own"
	check_trace "$(ulf mount)/$root/instances/other"
	run_on "$cpus"
	kill -CONT "$pid"
}
# check_trace DIRECTORY: check the trace of this instance, which is in $TMPDIR/trace.
check_trace() {
	T=$1
	[ "$(stat_sum overrun)$(stat_sum 'dropped events')" = 00 ] || return 0	# incomplete
	nr=$(check_graph "$TMPDIR/trace") || fail "$T: $nr
$(context "$nr")"
	exits=$((exits + nr))
}

exits=0
start_storm
cpu=$(my_cpu) cpus=$(awk '/^Cpus_allowed_list/ { print $2 }' "/proc/$pid/status")
mkdir "$T/instances/other" "$T/instances/third" || fail mkdir
for i in "" instances/other/; do ulf echo 20000 "$root/${i}buffer_size_kb" || fail "size"; done
# The filter of the instance `other` stays; its other settings change in each round.
ulf echo storm_fib "$root/instances/other/set_ftrace_filter" || fail "filter"
round=0
while [ $round -lt $rounds ]; do
	round=$((round + 1))
	change
	check
	# Kill the server at work; the next one takes over.
	if [ $((round % 3)) = 0 ]; then
		{ change_list; change_tracer; } &
		busy=$!
		nap
		kill_server
		wait $busy
	fi
	kill -0 "$pid" || fail "it is gone"
done
kill -TERM "$pid"
wait "$pid"
expect "status" 0 $?

# Kill the program during changes; its records must be readable.
death=0
while [ $death -lt $deaths ]; do
	death=$((death + 1))
	start_storm
	put current_tracer function_graph
	{ change; } &
	busy=$!
	nap
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	wait $busy
	until_true is_listed "$root" dead
	ulf cat "$root/trace" >/dev/null || fail "a dead one's trace"
	ulf rm "$root" || fail rm
done

[ $exits -gt 0 ] || fail "nothing was checked"
# Check that check_graph can fail: with an exit of another function, and with an exit without
# an entry.
line=' 0)  storm-7  |               |  '
good="${line}storm_turn() {
${line}  storm_fib() {
${line}    storm_fib();
${line}  } /* storm_fib */
${line}} /* storm_turn */"
echo "$good" >"$TMPDIR/trace"
expect "calls" 3 "$(check_graph "$TMPDIR/trace")"
echo "$good" | sed '4s/storm_fib/storm_ping/' >"$TMPDIR/trace"
check_graph "$TMPDIR/trace" >/dev/null && fail "an exit of another"
echo "$good" | sed '4p' >"$TMPDIR/trace"
check_graph "$TMPDIR/trace" >/dev/null && fail "an exit too many"
echo "$rounds rounds, $exits calls, $death deaths"
