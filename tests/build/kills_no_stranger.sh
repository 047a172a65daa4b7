#!/bin/sh
# SPDX-License-Identifier: MIT
# The end of a test kills the processes that the test has started, and no process that has the pid
# of one that ended before.
. tests/cli/common

sleep 1000 &
mine=$!
# A process whose parent has ended is no child of this shell.
mkfifo "$TMPDIR/ask" || fail "mkfifo"
exec 5<>"$TMPDIR/ask"
stranger=$(sh -c '{ read -r _; echo alive; } <"$1/ask" >"$1/answer" & echo $!' sh "$TMPDIR")
sleep 0 &
ended=$!
wait $ended

pids="$stranger $ended $mine"
is_child $mine || fail "$mine is a child"
is_child "$stranger" && fail "$stranger is no child"
is_child $ended && fail "$ended has ended"
finish
until_true is_gone $mine
echo >&5
until_true is_gone "$stranger"
expect "the stranger" alive "$(cat "$TMPDIR/answer")"
exit 0
