#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address the agent has no descriptor table of its own
# no-sanitize: thread the agent has no descriptor table of its own
# Agents write the records of ulf_sched some ms after the switches.  In the file of a recording and
# of an archive, the records of each CPU are in the order of their times, and no switch is missing.
. tests/cli/common
. tests/tracefs/sched/common.sh

cd "$TMPDIR" || fail "cd"
why=$("$ULF_BUILD/tests/tracefs-perf_time" </dev/null) || skip "$why"

# in_order FILE: `ulf report` prints the lines of a CPU in the order of the file.
in_order() {
	ulf report "$1" >report || fail "report of $1"
	awk 'match($0, /\[[0-9]+\] .* [0-9]+\.[0-9]+: /) {
			split(substr($0, RSTART, RLENGTH), word, " +")
			time = substr($0, RSTART, RLENGTH)
			sub(": .*", "", time); sub(".* ", "", time)
			if (time + 0 < last[word[1]]) early++
			last[word[1]] = time + 0; nr++
		}
		END { print nr + 0 " records, " early + 0 " of them too late" }' report >order
	grep -q "^[1-9][0-9]* records, 0 of" order || fail "$1: $(cat order)"
}
records() { cat report; }

# ---- a program from its first instruction to its end, with a thread that starts meanwhile ----
printf 'thread 200\nsleep 200\n' |
	ulf record -o program.dat -e switcher_mark -e ulf_sched -- "$switcher" >out 2>err ||
	fail "status $?: $(cat err)"
contains "$(cat err)" ", 0 lost"
in_order program.dat
{ read -r first; read -r second; } <out
for line in "$first" "$second"; do
	counts_agree
	order_is_right 200
done

# ---- a root, to which no late event was on before; the recording ends just after a switch ----
mkfifo to from || fail "mkfifo"
exec 7<>to 8<>from
"$switcher" <&7 >&8 &
pids=$! root=tracefs-switche.$!
until_true is_listed "$root" alive
ulf record -o root.dat -e switcher_mark -e ulf_sched:sched_switch "$root" 2>err & recorder=$!
is_recorded() {
	switcher_does "sleep 1"
	ulf cat "$root/instances/record.$recorder/trace" 2>/dev/null | grep -q sched_switch:
}
until_true is_recorded
switcher_does "sleep 200"
kill -INT $recorder
wait $recorder || fail "status of ^C: $?: $(cat err)"
contains "$(cat err)" ", 0 lost"
in_order root.dat
# The counts are those of the last 200 sleeps.
sed -n 'H; /number=-1$/h; ${ g; p; }' report >last
mv last report
counts_agree
order_is_right 200

# ---- what a root has recorded until now ----
ulf echo 1 "$root/events/sched/switcher_mark/enable"
ulf echo 1 "$root/events/ulf_sched/sched_switch/enable"
switcher_does "sleep 200"
ulf archive -o archive.dat "$root" 2>err || fail "archive: $(cat err)"
in_order archive.dat
counts_agree
order_is_right 200
exit 0
