# SPDX-License-Identifier: MIT
# Shell functions for the tests of ulf_sched: a program that does what the events record.
switcher=$ULF_BUILD/tests/tracefs-switcher
sched=events/ulf_sched
paranoid=$(cat /proc/sys/kernel/perf_event_paranoid 2>/dev/null || echo 0)

# needs_perf: skip the test where the system refuses perf_event_open() to every program.
needs_perf() {
	[ "$user_id" = 0 ] || [ "$paranoid" -le 2 ] || skip "kernel.perf_event_paranoid is $paranoid"
	why=$("$ULF_BUILD/tests/tracefs-perf_time" </dev/null) || skip "$why"
	! ldd "$ULF_BUILD/libulf.so.0" | grep -qE 'lib[atm]san' || skip "the agent has no descriptor table of its own"
}
start_switcher() {
	mkfifo "$TMPDIR/to" "$TMPDIR/from" || fail "mkfifo"
	exec 7<>"$TMPDIR/to" 8<>"$TMPDIR/from"
	start_root tracefs-switche 2 with_switcher "$@"
}
with_switcher() { exec "$@" "$switcher" <&7 >&8; }
# switcher_does WORDS: let it do WORDS, and set line to its answer.
switcher_does() {
	echo "$1" >&7
	read -r line <&8
}
# lines_of TID: print the marks and switches of a thread between the first and the last mark: a
# word for each.  V and I are switches out, voluntary and not, N is a switch in.
lines_of() {
	records | awk -v tid="$1" '
		match($0, "-" tid " +\\[") == 0 { next }
		# The marks -1 and -2 come again if the thread was switched while it wrote them.
		/switcher_mark: number=-1$/ { on = 1; n = 0 }
		/switcher_mark: number=-2$/ { last = n; next }
		on && /switcher_mark: number=/ { sub(".*=", ""); word[++n] = $0 }
		on && /sched_switch: prev_comm=<unknown>/ { word[++n] = "N" }
		on && /sched_switch: .* prev_state=S ==>/ { word[++n] = "V" }
		on && /sched_switch: .* prev_state=R ==>/ { word[++n] = "I" }
		END { for (i = 1; i <= last; i++) print word[i] }'
}
# counts_agree: the trace has as many switches out of each kind as getrusage() has counted.
counts_agree() {
	set -- $line
	expect "voluntary switches" "$2" "$(lines_of "$1" | grep -cx V)"
	expect "involuntary switches" "$3" "$(lines_of "$1" | grep -cx I)"
}
# order_is_right NR: in the order of the trace, the thread is switched out and in between the two
# marks of each of NR sleeps, and no mark is between a switch out and the next switch in.  On a busy
# machine the time of a sleep may be over before it begins, so a few may be without a switch.
order_is_right() {
	set -- "$1" $line
	lines_of "$2" | awk -v wanted="$1" '
		$1 == "V" || $1 == "I" { if (is_out) bad("out twice"); is_out = 1; out++; next }
		$1 == "N" { if (!is_out) bad("in twice"); is_out = 0; into++; next }
		is_out { bad("mark " $1 " while the thread is out") }
		$1 > 0 && $1 % 2 { out = into = 0 }
		$1 > 0 && $1 % 2 == 0 { nr += out && into }
		function bad(why) { if (!has) print "line " NR ": " why; has = 1 }
		END { if (nr < wanted * 0.9) bad(nr " sleeps, not " wanted); exit has }' ||
		fail "order of marks and switches: $(lines_of "$2" | head -n 40 | tr '\n' ' ')"
}
