#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a program without the sanitizer cannot load an instrumented libulf
# no-sanitize: thread a program without the sanitizer cannot load an instrumented libulf
# timeout: 900
# Programs under load are attached to and detached from, again and again, and in between functions
# of the program and of libc are switched on and off.  They check themselves: no wrong answer, no
# EINTR, no crash, no hang.  The programs are 32 threads that allocate memory
# (tests/data/attach/heap.c), and redis-server under load (redis_load.c), if it is installed or
# `make proof' has unpacked it.
# ULF_STORM names what is tested: heap, redis; ULF_STORM_CYCLES is the number of cycles.
. tests/proof/common

what=${ULF_STORM:-heap redis}
cycles=20
[ "${ULF_TORTURE-}" != long ] || cycles=1000
cycles=${ULF_STORM_CYCLES:-$cycles}
reuse=${ULF_STORM_REUSE:-2}	# cycles with one program: the first one loads libulf
source=tests/data/attach
for program in heap redis_load; do
	gcc -O2 -w -pthread -o "$TMPDIR/$program" $source/$program.c || fail "$program.c"
done

# A stop for which a thread, or the process that stops it, gets no CPU time is refused (EBUSY,
# ETIMEDOUT), and changes nothing.  Then it is tried again.  So is a command that has got no answer
# because the server waits for a disk.
refused=0
try() { # COMMAND...
	tries=0
	until "$@" >"$TMPDIR/answer" 2>"$TMPDIR/err"; do
		grep -q 'resource busy\|timed out\|no sign of life' "$TMPDIR/err" ||
			fail "$*: $(cat "$TMPDIR/err")"
		refused=$((refused + 1)) tries=$((tries + 1))
		[ $tries -lt 100 ] || fail "refused again and again: $*: $(cat "$TMPDIR/err")"
	done
}
switch() { try ulf echo "$2" "$root/$1"; }
no_thread_is_stopped() {
	! grep -q '^State:.*(tracing stop)' /proc/"$pid"/task/*/status 2>/dev/null
}
# check_alive: fail if the program has ended.
check_alive() {
	! is_gone "$pid" || {
		wait "$pid"
		fail "the program has ended: status $?: $(cat "$TMPDIR/said")"
	}
}
has_records() {
	check_alive
	ulf cat "$root/trace" 2>/dev/null | grep -q "$1"
}

# cycle FUNCTIONS LIBC_FUNCTION: attach, switch functions on and off, and detach.
cycle() {
	try ulf attach "$pid"
	root=$(head -n 1 "$TMPDIR/answer")
	switch set_ftrace_filter "$1 $2"
	switch current_tracer function_graph
	until_true has_records "$2"
	switch current_tracer nop
	switch set_ftrace_filter "$1"
	switch current_tracer function
	switch set_ftrace_filter ""
	try ulf detach "$pid"
	expect "tracer" nop "$(ulf cat "$root/current_tracer")"
	check_alive
}

# run_cycles START STOP FUNCTIONS LIBC_FUNCTION: make $cycles cycles.
run_cycles() {
	done_cycles=0 loads=0
	while [ $done_cycles -lt "$cycles" ]; do
		$1
		loads=$((loads + 1))
		for i in $(seq $reuse); do
			cycle "$3" "$4"
			done_cycles=$((done_cycles + 1))
		done
		until_true no_thread_is_stopped
		$2
		echo "$done_cycles cycles, $refused refused: $(cat "$TMPDIR/said")"
		until_true is_listed "$root" dead
		ulf rm "$root" || fail "rm $root"
	done
}

# ---- 32 threads that allocate memory ----

rounds=0
start_heap() {
	: >"$TMPDIR/said"	# the shell's child does so later, before it becomes the program
	"$TMPDIR/heap" 10000 >"$TMPDIR/said" &
	pid=$!
	pids="$pids $pid"
	until_true grep -qx ready "$TMPDIR/said"
}
stop_heap() {
	kill -TERM "$pid"
	wait "$pid" || fail "heap: status $?: $(cat "$TMPDIR/said")"
	contains "$(cat "$TMPDIR/said")" "rounds, 0 wrong, 0 interrupted"
	rounds=$((rounds + $(sed -n 's/ rounds.*//p' "$TMPDIR/said")))
}

# ---- redis-server under load ----

answers=0
cli() { "$TMPDIR/redis-cli" -s "$TMPDIR/redis" "$@"; }
is_up() { cli ping 2>/dev/null | grep -q PONG; }
start_redis() {
	"$TMPDIR/redis-server" --port 0 --unixsocket "$TMPDIR/redis" --save '' --appendonly no \
		--dir "$TMPDIR" >"$TMPDIR/log" 2>&1 &
	pid=$!
	pids="$pids $pid"
	until_true is_up
	"$TMPDIR/redis_load" "$TMPDIR/redis" 8 >"$TMPDIR/said" &
	load=$!
	pids="$pids $load"
}
stop_redis() {
	kill -TERM "$load"
	wait "$load" || fail "redis_load: status $?: $(cat "$TMPDIR/said" "$TMPDIR/log")"
	contains "$(cat "$TMPDIR/said")" "answers, 0 wrong, 0 lost"
	answers=$((answers + $(sed -n 's/ answers.*//p' "$TMPDIR/said")))
	kill "$pid"
	wait "$pid" || fail "redis: status $?: $(cat "$TMPDIR/log")"
	! grep -i 'crash\|assert\|interrupted' "$TMPDIR/log" || fail "redis: $(cat "$TMPDIR/log")"
}

score=
for kind in $what; do
	case $kind in
	heap)
		run_cycles start_heap stop_heap 'heap_*' malloc
		score="$score; heap: $done_cycles cycles, $loads loads, $rounds rounds"
		;;
	redis)
		find_program redis-server >/dev/null && find_program redis-cli >/dev/null || {
			echo "there is no redis-server: not tested"
			continue
		}
		wrap redis-server "$TMPDIR/redis-server"
		wrap redis-cli "$TMPDIR/redis-cli"
		run_cycles start_redis stop_redis 'processCommand call lookupKey*' epoll_wait
		score="$score; redis: $done_cycles cycles, $loads loads, $answers answers"
		;;
	esac
done
[ -n "$score" ] || skip "there is no redis-server"
echo "score: ${score#; }; $refused switches refused and tried again"
exit 0
