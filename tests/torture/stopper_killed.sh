#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 600
# no-sanitize: address,thread the program would need the sanitizer's library, too
# While functions of a program without NOPs are switched, the processes that stop its threads are
# killed at random, and so is the server.  The program goes on, unharmed and not stopped, and its
# functions can be switched afterwards.  Only a kill of such a process can make a call return EINTR.
. tests/cli/common

gcc -O2 -w -D_GNU_SOURCE -o "$TMPDIR/plain" tests/data/functions/plain/plain.c -lm -pthread ||
	fail "the program"
mkfifo "$TMPDIR/to" || fail mkfifo
exec 7<>"$TMPDIR/to"
LD_PRELOAD=$preload "$TMPDIR/plain" 2 <"$TMPDIR/to" >"$TMPDIR/said" 7>&- &
pid=$! root=plain.$!
pids="$pids $pid"
until_true grep -qx ready "$TMPDIR/said"
until_true is_listed "$root" alive

# read_line FILE: set line to the first line of FILE, or to "".  The shell reads the file itself:
# processes for that would need a CPU of their own.
read_line() { line=; read -r line 2>/dev/null <"$1"; }
# children_of PID: set children to the processes that PID has started.
children_of() {
	read_line "/proc/${1:-0}/task/${1:-0}/children"
	children=$line
}
server() { tr -d '\0\n' <"$ULF_DIR/server.lock"; }
# find_stopper: set stopper to the child of the server that starts these processes, or to "".
find_stopper() {
	stopper=
	read_line "$ULF_DIR/server.lock"
	children_of "$line"
	for child in $children; do
		read_line "/proc/$child/comm"
		[ "$line" != ulf-stopper ] || stopper=$child
	done
}
# kill_stops: kill each process that the stopper starts.
kill_stops() {
	while :; do
		find_stopper
		children_of "$stopper"
		for child in $children; do
			kill -9 "$child" 2>/dev/null
		done
		sleep 0.002	# leave CPU time to what is killed
	done
}
switch() { ulf echo "$1" "$root/current_tracer" >/dev/null 2>"$TMPDIR/err"; }

rounds=10
[ "${ULF_TORTURE-}" != long ] || rounds=3000
kill_stops &
killer=$!
pids="$pids $killer"
done_rounds=0 refused=0
for round in $(seq $rounds); do
	switch function || refused=$((refused + 1))
	switch nop || refused=$((refused + 1))
	echo signal >&7
	[ $((round % 5)) != 0 ] || kill -9 "$(server)"
	done_rounds=$((done_rounds + 1))
done
kill $killer
wait $killer 2>/dev/null

works() { switch function && switch nop; }
until_true works
! grep -l '^State:.*(tracing stop)' /proc/"$pid"/task/*/status || fail "threads are stopped"
exec 7>&-
wait "$pid" || fail "the program died: $?"
said=$(sed 's/, [0-9]* interrupted$//' "$TMPDIR/said" | tail -n 1)
case $said in ok | "0 wrong") ;; *) fail "the program: $(cat "$TMPDIR/said")" ;; esac
echo "$done_rounds rounds, $refused refused"
