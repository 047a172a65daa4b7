#!/bin/sh
# SPDX-License-Identifier: MIT
# trace-cmd records a million events through `ulf exec', as an ordinary user.  The report has
# each event once, and as many events as the program has recorded.
. tests/clients/common

needs trace-cmd trace-cmd
needs_namespace
start_emit
cd "$TMPDIR" || fail "cd"
nr=1000000
ulf exec trace-cmd record -q -b 65536 -e emit -o trace.dat \
	/bin/sh "$(emit_command $nr said)" >log 2>&1 || fail "record: $(cat log)"
read -r said word <said
expect "the program's word" "$nr emitted" "$said $word"
expect "log" "" "$(cat log)"
trace-cmd report -N trace.dat >report 2>errors || fail "report: $(cat errors)"
expect "errors" "" "$(cat errors)"
! grep -q -e LOST -e 'EVENTS DROPPED' report || fail "lost: $(grep -m 3 -e LOST report)"
expect "events" "$said" "$(grep -c ': emit_number: ' report)"
# Each number is there once, from the right thread and with the right word.
sed -n 's/.*: emit_number: *//p' report | tr '=' ' ' | awk -v nr=$nr '
	{ sub(/^thread /, ""); thread = $1; number = $3
	  word = $0; sub(/^.* word ?/, "", word)
	  split("|one|two parts|%d %s\\n", words, "|")
	  if (number < 0 || number >= nr || seen[number]++ || thread != number % 2 ||
	      word != words[number % 4 + 1]) { print "wrong: " $0; wrong++ } }
	END { exit wrong || NR != nr }' >wrong || fail "$(head -n 3 wrong)"
# The events are off again, as before trace-cmd.
expect "enable" 0 "$(ulf cat "$root/events/enable")"
echo "score: $said events recorded by trace-cmd, none lost"
