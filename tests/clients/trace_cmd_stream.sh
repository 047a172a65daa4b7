#!/bin/sh
# SPDX-License-Identifier: MIT
# waits: for what trace-cmd prints
# `trace-cmd stream' prints everything that a program records, even a few events: while the
# command runs, and all of it if the command ends at once.  buffer_percent is 50.
. tests/clients/common

needs trace-cmd trace-cmd
needs_namespace
start_emit
cd "$TMPDIR" || fail "cd"
# stream SCRIPT: run `trace-cmd stream' with a command that runs SCRIPT.
stream() {
	stdbuf -oL ulf exec trace-cmd stream -e emit timeout 60 /bin/sh "$1" >stream 2>errors ||
		fail "trace-cmd stream: status $?: $(cat errors)"
	[ ! -s errors ] || fail "trace-cmd stream: $(cat errors)"
}
# numbers N: the numbers in the output are 0 to N - 1, each once.
numbers() {
	seq 0 $(($1 - 1)) >wanted
	sed -n 's/.*: emit_number: *thread=[01] number=\([0-9]*\) word=.*/\1/p' stream |
		sort -n >got
	diff wanted got >differ || fail "stream of $1: $(head -n 5 differ)"
}

# The command ends at once: trace-cmd prints what is in the buffers before it ends.
for nr in 500 1 5 500; do
	stream "$(emit_command $nr said)"
	expect "the program's word" "$nr emitted" "$(cat said)"
	numbers $nr
done

# The command ends only when all its events have been printed.
script=$(emit_command 7 said)
cat >>"$script" <<END
until [ "\$(grep -c ': emit_number: ' stream)" = 7 ]; do sleep 0.02; done
: >seen
END
stream "$script"
[ -e seen ] || fail "nothing was printed while the command ran"
numbers 7
exit 0
