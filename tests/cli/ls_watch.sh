#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf ls --watch follows the roots: as lines in a pipe, and on a terminal.
. tests/cli/common
. tests/cli/tmux_common

out=$TMPDIR/out
# says STATE ROOT NR: the lines of ROOT with this state are NR.
says() { [ "$(awk -v root="$2" -v state="$1" '$1 == root && $3 == state' "$out" | wc -l)" = "$3" ]; }

start_hello
first=$root
ulf ls --watch >"$out" &
watch=$!
pids="$pids $watch"
until_true says alive "$first" 1
expect "titles" "ROOT PID STATE EVENTS BYTES OVERRUNS" "$(sed -n 1p "$out" | xargs)"
first_pid=$pid
start_hello
until_true says alive "$root" 1
expect "pid" "$pid" "$(awk -v root="$root" '$1 == root { print $2 }' "$out")"
ulf echo 1 "$first/events/enable" || fail "enable"
until_true has_records "$first" 1	# a dead root without records is removed
kill -9 "$first_pid"
wait "$first_pid" 2>/dev/null
until_true says dead "$first" 1
ulf rm "$first" 2>/dev/null || fail "rm"
until_true says gone "$first" 1
# The server ends, and the next one is asked.
kill_server
second=$root
start_hello
until_true says alive "$root" 1
# Nothing is said twice: four states of three roots and the titles.
expect "lines" 6 "$(wc -l <"$out")"
expect "lines of the second root" 1 "$(grep -c "^$second " "$out")"
kill "$watch"
wait "$watch" || fail "status $? after SIGTERM"
ulf ls --watch | head -n 1 >"$TMPDIR/one" || fail "a reader that goes away"
text=$(ulf ls --watch --all 2>&1) && fail "--watch --all"
contains "$text" "usage: ulf ls"

# ---- a terminal ----
command -v tmux >/dev/null || skip "no tmux; make setup installs it; the rest passed"
start_tmux 90 12 "ulf ls --watch"
until_shows "^$root +$pid alive +0/1 "
until_shows '^2 roots, 2 alive, in /'
until_shows '^q quit'
ulf echo 1 "$root/events/enable" || fail "enable"
until_shows "^$root +$pid alive +1/1 +[1-9]"
kill -9 "$pid"
wait "$pid" 2>/dev/null
until_shows "^$root +$pid dead "
press q
until_shows '^status 0'
exit 0
