#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 300
# no-sanitize: thread a libulf that is built for it cannot be loaded by other programs
# Children of vfork() call traced functions while other threads of their parent do so, too,
# and are killed meanwhile.  Each record must be whole, and in the right ring.
. tests/tracefs/common
ulf_only "it traces the functions of a program"
rounds=1
[ "${ULF_TORTURE-}" != long ] || rounds=300

set -- $(for c in $(seq 0 "$(($(nproc --all) - 1))"); do taskset -c "$c" echo "$c" 2>/dev/null; done)
[ $# -ge 2 ] || skip "one CPU"
cpu=$1 other=$2
compile() {
	gcc -O2 -w -D_GNU_SOURCE -pthread -fpatchable-function-entry=5 "$@" -o "$TMPDIR/vforks" \
		tests/data/functions/vforks/vforks.c || fail "the program"
}

# check_TRACER FILE: callers and functions must be right for the CPU, and times must not go
# back.  Prints the number of lines of each of the two CPUs.
check_function() {
	awk -v cpu="$cpu" -v other="$other" '
	/^#/ || /LOST [0-9]+ EVENTS/ { next }
	{
		at = $2; gsub(/[][]/, "", at); at += 0
		who = $5 " " $6
		good = at == cpu && (who == "recorder_outer <-records" || who == "recorder_inner <-recorder_outer") ||
		       at == other && (who == "child_outer <-be_child" || who == "child_inner <-child_outer")
		time = $4 + 0
		if (!good || time < last[at]) { print NR ": " $0; bad++ }
		last[at] = time
		nr[at]++
		if (bad > 10) exit 1
	}
	END { if (bad) exit 1; print nr[cpu] + 0, nr[other] + 0 }' "$1"
}

# Also, no call may take longer than this test.
check_function_graph() {
	awk -F'|' -v cpu="$cpu" -v other="$other" '
	/^#/ || !NF || /^ *-+ *$/ || /LOST [0-9]+ EVENTS/ || /=>/ { next }
	{
		at = $1 + 0
		us = match($1, /[0-9.]+ us/) ? substr($1, RSTART, RLENGTH) + 0 : 0
		text = $2; sub(/^ */, "", text)
		good = at == cpu && text ~ /^recorder_(inner|outer)\(\)( \{|;)$/ ||
		       at == other && text ~ /^child_(inner|outer)\(\)( \{|;)$/ ||
		       text ~ /^}( \/\* .* \*\/)?$/
		if (!good || us > 60e6) { print NR ": " $0; bad++ }
		nr[at]++
		if (bad > 10) exit 1
	}
	END { if (bad) exit 1; print nr[cpu] + 0, nr[other] + 0 }' "$1"
}

# Both CPUs must have recorded enough; records that were overwritten count, too.
nr_written() { echo $(($(stat_sum entries "$1") + $(stat_sum overrun "$1"))); }
has_enough() { [ "$(nr_written "$cpu")" -gt 20000 ] && [ "$(nr_written "$other")" -gt 2000 ]; }

# run TRACER [LIBRARY]: trace the program.  LIBRARY is preloaded before libulf.
run() {
	start_root vforks 0 env LD_PRELOAD="${2-} $preload" ASAN_OPTIONS=detect_leaks=0 \
		"$TMPDIR/vforks" "$cpu" "$other"
	writes buffer_size_kb 2000
	writes current_tracer "$1"
	until_true has_enough
	writes tracing_on 0
	kill -STOP "$pid"
	cat "$T/trace" >"$TMPDIR/trace" || fail "trace"
	seen=$("check_$1" "$TMPDIR/trace") || fail "$1: $seen"
	case $seen in
	"0 "* | *" 0") fail "$1: $seen records" ;;
	esac
	echo "$*: $seen"
	kill -TERM "$pid"
	kill -CONT "$pid"
	wait "$pid"
	expect "status" 0 $?
	ulf rm "$root" || fail rm
}

compile
round=0
while [ $round -lt $rounds ]; do
	round=$((round + 1))
	run function
	run function_graph
done
# A sanitizer has a vfork() of its own, which calls libulf's vfork().
compile -fsanitize=address
run function_graph "$(gcc -print-file-name=libasan.so)"
