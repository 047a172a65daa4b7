#!/bin/sh
# SPDX-License-Identifier: MIT
# Every command that `ulf help` lists has a help text.  A command line that ulf does not
# understand is reported on stderr, with status 2 and what to do.
. tests/cli/common

commands=$(ulf help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | grep -v '^help$')
[ "$(echo "$commands" | wc -l)" -ge 9 ] || fail "ulf help lists: $commands"
for command in $commands; do
	text=$(ulf help "$command") || fail "ulf help $command: status $?"
	contains "$text" "usage: ulf $command"
	expect "ulf $command --help" "$text" "$(ulf "$command" --help)"
	ulf "$command" --nonsense >"$TMPDIR/out" 2>"$TMPDIR/err"
	expect "status of ulf $command --nonsense" 2 $?
	expect "stdout of ulf $command --nonsense" "" "$(cat "$TMPDIR/out")"
	contains "$(cat "$TMPDIR/err")" "ulf help $command"
done
expect "ulf --help" "$(ulf help)" "$(ulf --help)"
ulf --version | grep -qx 'ulf [0-9.]*' || fail "ulf --version: $(ulf --version)"

ulf >"$TMPDIR/out" 2>&1
expect "status of ulf alone" 2 $?
text=$(ulf nosuch 2>&1)
expect "status of an unknown command" 2 $?
contains "$text" "ulf help"

# Options after the name of the program belong to the program.
expect "options of a program" "--help -e" \
	"$(ulf run -- printf '%s %s' --help -e 2>/dev/null)"
expect "options of a program, without --" "-e --live" \
	"$(ulf run printf '%s %s' -e --live 2>/dev/null)"
exit 0
