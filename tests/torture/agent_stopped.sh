#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 600
# no-sanitize: address,thread the program would need the sanitizer's library, too
# SIGSTOP stops a program, libulf's agent with it, while the agent writes code and the other threads
# are stopped for that.  However long this takes, these threads do not run before the agent has
# written everything: they stay traced until SIGCONT lets it go on.
. tests/cli/common

nr=6000
awk -v nr=$nr 'BEGIN {
	print "#include <pthread.h>\n#include <stdio.h>\n#include <unistd.h>"
	for (i = 0; i < nr; i++)
		print "__attribute__((noinline)) long f" i "(long a) { return a * " i " + 1; }"
	print "static long (*const all[])(long) = {"
	for (i = 0; i < nr; i++) print "f" i ","
	print "};\nstatic volatile int is_over; static volatile long wrong;"
	print "static void *work(void *arg) { for (long i = 0; !is_over; i = (i + 1) % " nr ") {"
	print "if (all[i](i) != i * i + 1) wrong++; if (i % 500 == 0) usleep(1000); } return arg; }"
	print "int main(void) { pthread_t threads[3]; char byte;"
	print "for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, work, 0);"
	print "puts(\"ready\"); fflush(stdout); while (read(0, &byte, 1) == 1) ; is_over = 1;"
	print "for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);"
	print "printf(\"%ld wrong\\n\", wrong); return wrong != 0; }"
}' >"$TMPDIR/many.c"
gcc -O0 -w -pthread -o "$TMPDIR/many" "$TMPDIR/many.c" || fail "gcc"
mkfifo "$TMPDIR/to" || fail mkfifo
exec 7<>"$TMPDIR/to"
# With a limit of its address space, no function is switched without a stop.
(
	ulimit -v 100000000
	LD_PRELOAD=$preload exec "$TMPDIR/many"
) <"$TMPDIR/to" >"$TMPDIR/said" 7>&- &
pid=$! root=many.$!
pids="$pids $pid"
until_true grep -qx ready "$TMPDIR/said"
until_true is_listed "$root" alive

is_stopped() { # true if a stop by ptrace has begun; the shell starts no process for it
	read -r stat <"/proc/$pid/stat"
	case $stat in *") t "*) return 0 ;; esac
	return 1
}
tracer_of() { sed -n 's/^TracerPid:[^0-9]*//p' "/proc/$pid/status"; }
is_stop_over() { [ "$(tracer_of)" = 0 ]; }
# catch TRACER: switch to TRACER, and stop the program in the middle.  Fails if it was too late, or
# if the functions were switched without a stop.
catch() {
	ulf echo "$1" "$root/current_tracer" >/dev/null 2>"$TMPDIR/err" &
	echo_pid=$!
	until is_stopped; do
		kill -0 "$echo_pid" 2>/dev/null || return 1
	done
	kill -STOP "$pid"
	let_server_run 1
	[ "$(tracer_of)" != 0 ]
}

caught=0 attempts=0
while [ $caught = 0 ] && [ $attempts -lt 40 ]; do
	attempts=$((attempts + 1))
	tracer=function
	[ $((attempts % 2)) = 1 ] || tracer=nop
	if catch $tracer; then
		caught=1
		let_server_run 2
		kill -0 "$echo_pid" 2>/dev/null ||
			fail "the write has returned, but nothing is switched: $(cat "$TMPDIR/err")"
		let_server_run 4	# longer than any limit of the stopper
		[ "$(tracer_of)" != 0 ] || fail "the threads are no longer held"
	fi
	kill -CONT "$pid"
	wait "$echo_pid"
	until_true is_stop_over
done
[ $caught = 1 ] || 
	skip "in $attempts attempts no stop was necessary, or it was over before SIGSTOP"

switch() { ulf echo "$1" "$root/current_tracer" 2>"$TMPDIR/err"; }
until_true switch function
has_many() { [ "$(ulf cat "$root/enabled_functions" | grep -c '^f[0-9]')" -gt $((nr / 2)) ]; }
until_true has_many
until_true switch nop
exec 7>&-
wait "$pid" || fail "the program: status $?: $(cat "$TMPDIR/said")"
expect "the program" "0 wrong" "$(tail -n 1 "$TMPDIR/said")"
echo "score: caught in attempt $attempts"
exit 0
