#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 240
# Kill a traced program at random moments: its root is listed as dead and shows all records
# that were committed, in order, whole, with names and formats.  Kill the server while
# programs trace: they continue, and the next server finds settings, sizes and records as they
# were.
. tests/tracefs/common

deaths=9 takeovers=3
[ "${ULF_TORTURE-}" != long ] || deaths=1000 takeovers=100

# nap MS: sleep for a random time below MS.
nap() {
	ms=$(($(od -An -N2 -tu2 /dev/urandom) % $1))
	sleep "0.$(printf %03d $ms)"
}

# check_lines FILE: every line after the header must be a whole record.  Records that were
# overwritten while a living root was read are reported by LOST lines.
lost='^CPU:[0-9]+ \[LOST [0-9]+ EVENTS\]$'
line='^.{16}-[0-9]+ +\[[0-9]{3}\] \.{5} +[0-9]+\.[0-9]{6}: [a-z_0-9]+(: |\(| -> )[[:print:]]*[[:graph:]]$'
check_lines() {
	grep -vE "^#|$lost" "$1" >"$TMPDIR/records"
	grep -nvE "$line" "$TMPDIR/records" && fail "torn, or no record (${1##*/})"
	grep -n '^ *<\.\.\.>-' "$TMPDIR/records" && fail "a thread without a name"
	grep -nE 'Unknown type|too short|cut short|LOST' "$TMPDIR/records" && fail "not printed"
	sed 's/^.\{36\} *\([0-9.]*\): .*/\1/' "$TMPDIR/records" |
		awk '$1 < last { print last, $1; exit 1 } { last = $1 }' || fail "times run backwards"
}

# check_numbers IS_COMPLETE: check the numbers in the writer's records.
check_numbers() {
	sed -n 's/.*writer_event: thread=\([0-9]*\) number=\([0-9]*\) check=\([0-9a-f]*\) text=\([a-z]*\)$/\1 \2 \3 \4/p' \
		"$TMPDIR/records" >"$TMPDIR/numbers"
	expect "records of the writer" "$(wc -l <"$TMPDIR/records")" "$(wc -l <"$TMPDIR/numbers")"
	awk -v complete="$1" '
	$3 != "5a5a5a5a5a5a5a5a" || length($4) != 26 - $2 % 26 { print "torn: " $0; bad = 1 }
	$1 in last && $2 <= last[$1] { print "again: " $0; bad = 1 }
	complete && $1 in last && $2 != last[$1] + 1 { print "missing after " last[$1] ": " $0; bad = 1 }
	{ last[$1] = $2 }
	END { exit bad }' "$TMPDIR/numbers" || fail "numbers"
}

formats() { for f in $(ulf cat "$root/available_events" | tr : /); do ulf cat "$root/events/$f/format"; done; }
has_records() { [ "$(ulf cat "$root/trace" | wc -l)" -gt 12 ]; }

# start_one KIND: start a program; sets pid and root.
start_one() {
	case $1 in
	minikernel) start_minikernel ;;
	pinned) start_root tracefs-writer 1 taskset -c "$cpu" "$writer" 2 ;;
	free) start_writer 2 ;;
	esac
	echo 1 >"$T/events/enable" || fail "enable"
	until_true has_records
}

# one_death NUMBER: start a program, kill it and check its root.
one_death() {
	set -- "$1" minikernel pinned free
	shift $(($1 % 3))
	start_one "$2"
	kind=$2
	[ "$kind" != minikernel ] || formats >"$TMPDIR/formats"
	nap 50
	# From time to time there is no server when the program dies.
	if [ $((round % 5)) = 4 ]; then kill_server; fi
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	until_true is_listed "$root" dead
	ulf cat "$root/trace" >"$TMPDIR/trace" || fail "cat"
	check_lines "$TMPDIR/trace"
	[ -s "$TMPDIR/records" ] || fail "nothing is left"
	expect "records that the header counts" "$(wc -l <"$TMPDIR/records")" \
		"$(sed -n '3s/.*written: \([0-9]*\)\/.*/\1/p' "$TMPDIR/trace")"
	total=$((total + $(wc -l <"$TMPDIR/records")))
	case $kind in
	minikernel) formats | cmp - "$TMPDIR/formats" || fail "formats" ;;
	pinned) check_numbers 1 ;;	# all records are in one ring: no gap is allowed
	free) check_numbers "" ;;
	esac
	ulf cat "$root/trace" | cmp - "$TMPDIR/trace" || fail "a dead root has changed"
	ulf rm "$root" || fail "rm"
}

total=0 round=0
cpu=$(awk '/^Cpus_allowed_list/ { sub(/[-,].*/, "", $2); print $2 }' /proc/self/status)
while [ $round -lt $deaths ]; do
	one_death $round
	round=$((round + 1))
done
echo "$deaths deaths, $total records"

# ---- the server ----

mini_settings() {
	for file in set_event events/enable events/sched/enable buffer_size_kb \
		    per_cpu/cpu0/buffer_size_kb trace_clock tracing_on current_tracer; do
		ulf cat "$mini/$file" || fail "$file"
	done
}
entries() { ulf cat "$1/trace" | sed -n '3s/.*written: \([0-9]*\)\/.*/\1/p'; }
last_number() { ulf cat "$root/trace" | sed -n '$s/.* number=\([0-9]*\) .*/\1/p'; }
goes_on() { [ "$(last_number)" -gt "$1" ]; }

start_minikernel
mini=$root mini_pid=$pid
echo sched: >"$T/set_event" && echo irq: >>"$T/set_event" || fail "set_event"
echo 3000 >"$T/buffer_size_kb" && echo 2000 >"$T/per_cpu/cpu0/buffer_size_kb" || fail "sizes"
echo mono >"$T/trace_clock" || fail "clock"
start_writer 2 500
echo 20000 >"$T/buffer_size_kb" && echo 1 >"$T/events/enable" || fail "enable"
until_true has_records
first=$(ulf cat "$root/trace" | sed -n 13p)
settings=$(mini_settings)

round=0
while [ $round -lt $takeovers ]; do
	round=$((round + 1))
	ulf cat "$root/trace" >"$TMPDIR/trace"
	before=$(($(wc -l <"$TMPDIR/trace") - 12)) last=$(last_number)
	# Often the server is busy when it is killed.
	ulf cat "$root/trace" >/dev/null 2>&1 & busy=$!
	ulf cat "$mini/trace" >/dev/null 2>&1 & busier=$!
	nap 20
	kill_server
	wait $busy $busier
	nap 200
	kill -0 "$pid" && kill -0 "$mini_pid" || fail "a program died with the server"
	[ "$(ulf ls | grep -c ' alive ')" = 2 ] || fail "$(ulf ls)"
	expect "settings" "$settings" "$(mini_settings)"
	ulf cat "$mini/trace" >"$TMPDIR/trace"
	check_lines "$TMPDIR/trace"
	ulf cat "$root/trace" >"$TMPDIR/trace"
	check_lines "$TMPDIR/trace"
	check_numbers 1
	contains "$(sed -n 13p "$TMPDIR/trace")" "$first"
	after=$(wc -l <"$TMPDIR/records")
	[ "$after" -ge "$before" ] || fail "$before entries before, $after after"
	until_true goes_on "$last"
	# The writer must not record more than its buffer can hold.
	if [ "$after" -gt 100000 ]; then
		ulf echo "" "$root/trace"
		until_true has_records
		first=$(ulf cat "$root/trace" | sed -n 13p)
	fi
done
# The last server can still switch both programs.
ulf echo 0 "$mini/events/enable" || fail "enable"
expect "enable" 0 "$(ulf cat "$mini/events/enable")"
before=$(entries "$mini")
pid=$mini_pid let_run
expect "entries of what is off" "$before" "$(entries "$mini")"
echo "$takeovers takeovers"
exit 0
