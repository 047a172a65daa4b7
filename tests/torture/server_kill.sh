#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 240
# Kill the server while a reader takes records out of the buffer, through the socket, through
# the mount, and pages by read and by splice: at random moments, and at each step of the
# handover.  Every record is read once, or a LOST line counts it.
. tests/tracefs/common

records=100000 rounds=1 steps=2
[ "${ULF_TORTURE-}" != long ] || records=200000 rounds=12 steps=20
[ -z "${ULF_SANITIZER-}" ] || records=50000

raw_numbers=$ULF_BUILD/tests/tracefs-raw_numbers
deadly=$ULF_BUILD/tests/tracefs-deadly
cpu=$numbers_cpu numbers_kb=40000
out=$TMPDIR/out
total_kills=0 total_records=0 total_lost=0

# nap MS: sleep for a random time below MS.
nap() { sleep "0.$(printf %03d $(($(od -An -N2 -tu2 /dev/urandom) % $1)))"; }

# start_expected THREADS NUMBER [PAUSE_US]: start the program, which records NUMBER events per
# thread.  With one thread, each number must be followed by the next number.
start_expected() {
	: >"$out"
	expected=$(($1 * $2))
	start_numbers "$@"
}
# start_backlog THREADS NUMBER: the program has ended, and all its records are still in the
# buffer.
start_backlog() {
	start_expected "$@"
	until_true numbers_are_done
	expect "entries" "$expected" "$(stat_sum entries)"
	end_program
}
end_program() {
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	until_true is_listed "$root" dead
}

# read_by WAY: read until the end, or until the server is killed.
read_by() {
	case $1 in
	socket) ulf cat "$root/trace_pipe" ;;
	mount) cat "$T/trace_pipe" ;;
	*) "$raw_numbers" "$T/per_cpu/cpu$cpu/trace_pipe_raw" "$1" "$cpu" ;;
	esac >>"$out" 2>/dev/null
}

# check PATTERN WHAT: the result is `ok`, the number of missing records, and the number of
# records that LOST lines report; both numbers must match PATTERN.  With one thread, the LOST
# lines before each gap must report exactly the missing records.  LOST lines that report
# records which are not missing may only follow a kill.
check() {
	result=$(awk -v threads="$threads" -v expected="$expected" '
	function bad(text) { if (!is_bad++) print text " at line " NR ": " $0 }
	/^=== / { killed = 1; next }
	/\[LOST / { sub(/.*\[LOST /, ""); lost += $1; since += $1; next }
	/number=/ {
		match($0, /number=[0-9]+/); n = substr($0, RSTART + 7, RLENGTH - 7) + 0
		match($0, /thread=[0-9]+/); t = substr($0, RSTART + 7, RLENGTH - 7)
		read++
		if (seen[t, n]++) bad("again")
		if (threads == 1) {
			gap = n - last - 1
			if (gap && gap != since) bad(gap " missing, " since " reported")
			if (since && !gap && !killed) bad(since " reported, none is missing")
			last = n; since = 0; killed = 0
		}
		next
	}
	{ bad("no record") }
	END {
		missing = expected - read
		if (threads == 1 && last + since < expected) bad("the end is missing")
		if (missing > lost) bad(missing " missing, " lost " reported")
		if (!is_bad) print "ok " missing + 0 " " lost + 0
	}' "$out")
	case $result in
	ok\ $1) ;;
	*) fail "$2: $result" ;;
	esac
	echo "$2: ${result#ok } of $expected missing, reported"
	total_records=$((total_records + expected))
	total_lost=$((total_lost + ${result##* }))
}

# kill_at_random WAY: kill the server again and again until the reader gets to the end.
kill_at_random() {
	kills=0
	while :; do
		ulf ls >/dev/null || fail "no new server"
		read_by "$1" & reader=$!
		nap 15
		kill_server
		wait $reader && break
		echo "=== killed" >>"$out"
		kills=$((kills + 1))
		# A splice waits until a page is full, so read the rest by read.
		[ "$1" != splice ] || [ $kills -lt 5 ] || set -- read
	done
	total_kills=$((total_kills + kills))
}

# ---- at random moments ----

round=0
while [ $round -lt $rounds ]; do
	round=$((round + 1))
	for way in socket mount read splice; do
		threads=1
		start_backlog 1 $records
		kill_at_random $way
		check "* *" "$way"
		ulf rm "$root" || fail "rm"
	done
	# The program continues to record meanwhile.
	start_expected 1 $((records / 4)) 2000
	for way in mount socket mount socket mount socket; do
		ulf ls >/dev/null || fail "no new server"
		read_by $way & reader=$!
		nap 300
		kill_server
		wait $reader && fail "a reader came to the end of a living program"
		echo "=== killed" >>"$out"
		total_kills=$((total_kills + 1))
	done
	ulf ls >/dev/null || fail "no new server"
	until_true numbers_are_done
	end_program
	kill_at_random mount
	check "* *" "a living program"
	ulf rm "$root" || fail "rm"
	# There are several rings: at most as many records may be missing as are reported.
	threads=2
	start_backlog 2 $((records / 2))
	kill_at_random socket
	check "* *" "two threads"
	ulf rm "$root" || fail "rm"
done

# ---- at each step ----

# kill_at THREADS POINT WAY none|missing|there: the LOST lines report none of the records that
# were being handed over, or records that are missing, or records that are there.
kill_at() {
	threads=$1 point=$2 way=$3 step=0
	start_backlog "$threads" $((steps * 8000 / threads + 8000))
	kill_server
	while [ $step -lt $steps ]; do
		ULF_DEADLY=$point:$((1 + step % 3)) "$deadly" ls >/dev/null || fail "deadly"
		read_by "$way" && fail "$point $way: the server was not killed"
		echo "=== $point" >>"$out"
		step=$((step + 1))
	done
	ulf ls >/dev/null
	read_by "$way" || fail "$point $way: the last reader"
	case $4 in
	none) check "0 0" "$point $way" ;;
	missing) check "[1-9]*" "$point $way"
		 expect "$point $way: reported" "${result##* }" "$(echo "$result" | cut -d' ' -f2)" ;;
	there) check "0 [1-9]*" "$point $way" ;;
	esac
	total_kills=$((total_kills + steps))
	ulf rm "$root" || fail "rm"
}

kill_at 1 merge.offer socket none
kill_at 1 socket.send socket none
kill_at 1 socket.sent socket none
kill_at 1 ring.read.set mount none
kill_at 1 fuse.reply mount none
kill_at 1 fuse.replied mount none
kill_at 1 fuse.reply read none
kill_at 1 fuse.replied read none
kill_at 2 merge.offer mount none
kill_at 2 merge.consume socket none

# Without receipts the next server does not know whether the reader got the records that were
# being handed over.
kill_server
rm "$ULF_DIR/server.receipts" && mkdir "$ULF_DIR/server.receipts" || fail "receipts"
ulf ls >/dev/null || fail "a server without receipts"
kill_at 1 socket.send socket missing
kill_at 1 socket.sent socket there
kill_at 1 fuse.reply mount missing
kill_at 1 fuse.replied mount there
kill_at 1 fuse.reply read missing
kill_at 1 fuse.replied read there
kill_at 1 merge.consume mount none
kill_at 2 merge.offer socket missing
echo "score: $total_records records, $total_kills kills, $total_lost reported as lost"
exit 0
