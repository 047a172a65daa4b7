#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf run exits with the program's exit status, dies of the program's signal, does not touch its
# standard streams, and says why a program cannot be started.
. tests/cli/common

ulf run -- true 2>/dev/null;		expect "true" 0 $?
ulf run -- sh -c 'exit 7' 2>/dev/null;	expect "exit 7" 7 $?
ulf run -- sh -c 'exit 255' 2>/dev/null; expect "exit 255" 255 $?
for signal in KILL TERM HUP INT SEGV; do
	number=$(kill -l $signal 2>/dev/null || env kill -l $signal)
	# A shell runs ulf, because a shell prints a message when its child dies of a signal.
	sh -c 'ulf run -- sh -c "kill -'$signal' \$\$"; exit $?' 2>/dev/null
	expect "status after SIG$signal" $((128 + number)) $?
done

text=$(ulf run -- "$TMPDIR/nosuch" 2>&1)
expect "status of a missing program" 127 $?
contains "$text" "$TMPDIR/nosuch: No such file"
: >"$TMPDIR/plain"
text=$(ulf run -- "$TMPDIR/plain" 2>&1)
expect "status of a plain file" 126 $?
contains "$text" "executable"
ulf run >/dev/null 2>&1;		expect "no program" 2 $?
text=$(ulf run -o "$TMPDIR/no/file" -- touch "$TMPDIR/ran" 2>&1)
expect "status of a bad -o" 126 $?
contains "$text" "$TMPDIR/no/file"
[ ! -e "$TMPDIR/ran" ] || fail "the program was started all the same"

expect "standard streams" "in" \
	"$(echo in | ulf run -- cat 2>/dev/null)"
text=$(ulf run -e 'x:*' -- true 2>&1)
contains "$text" "linked with libulf"
make_brief "$TMPDIR/brief"
text=$(ulf run -- "$TMPDIR/brief" 2>&1)
contains "$text" "there was no -e"
expect "environment" "" "$(ulf run -- env 2>/dev/null | grep '^ULF_TRACE')"
exit 0
