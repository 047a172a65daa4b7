#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf watch in a terminal: rates, switches, filters, histograms, records; nothing of the root
# changes, and the instance is removed.
. tests/cli/common
. tests/cli/tmux_common

text=$(ulf watch 2>&1 </dev/null) && fail "ulf watch without a terminal"
contains "$text" "ulf watch needs a terminal"
command -v tmux >/dev/null || skip "no tmux; make setup installs it; the rest passed"
start_hello
event=$root/events/hello/hello_request
instances() { ulf ls "$root/instances"; }
nr_hits() { screen | awk '$2 == "hello:hello_request" { print $4 }'; }
has_hits() { [ "$(nr_hits)" -gt "$1" ]; }

start_tmux 110 24 "ulf watch -d 0.2"
until_shows "^$root: alive, 0 of 1 events on, 0.0 hits/s"
until_shows '^   hello:hello_request +- +-$'
until_shows '^q quit'

# Switched on: rates and records are there, and the root itself records nothing.
press Space
until_shows "^$root: alive, 1 of 1 events on, [1-9]"
until_shows '^ \* hello:hello_request +[1-9][0-9.]+ +[1-9]'
until_shows "^ *hello-$pid .* hello_request: count=[0-9]+ who="
expect "enable of the root" 0 "$(ulf cat "$event/enable")"
expect "records of the root" 0 "$(ulf cat "$root/trace" | grep -vc '^#')"
hits=$(nr_hits)
until_true has_hits $((hits + 20))
expect "rings" 1 "$(instances | grep -c '^watch\.[0-9]*/')"

# A filter, and a wrong one
press f
until_shows '^filter \(count who\): _$'
press 'count < 0' Enter
until_shows '^ \* hello:hello_request +0.0 +0  count < 0$'
press f
until_shows '^filter \(count who\): count < 0_$'
press C-u 'nosuch == 1' Enter
until_shows '^Field not found'
shows 'hello:hello_request .* count < 0$' || fail "the filter has changed: $(screen)"
press f
until_shows '^filter '
press C-u Enter
until_shows '^ \* hello:hello_request +[0-9.]+ +[1-9][0-9]*$'

# A histogram, and a wrong one
press h
until_shows '^histogram: KEY \[VALUE\] \(count who\): _'
press 'who count' Enter
until_shows '^who +\*HITS/S .* SUM '
until_shows '^alice '
press q
until_shows "^$root: alive, 1 of 1 events on"
press h
until_shows '^histogram'
press nosuch Enter
until_shows '^press Enter'
press Enter
until_shows "^$root: alive, 1 of 1 events on"

# Search, sort, hide records, pause
press /
until_shows '^find: _'
press nosuch Enter
until_shows 'with `nosuch`: 0$'
press /
until_shows '^find: nosuch_'
press C-u Enter
until_shows '^ \* hello:hello_request'
press r t
until_true eval '! shows "^-----"'
press p
until_shows ', paused$'
press p Down Up NPage Home Space
until_shows "^$root: alive, 0 of 1 events on"
press q
until_shows '^status 0'
expect "instances after the end" "" "$(instances)"

# An event that is on in the root is on, with its filter.  A killed command leaves its instance; the
# next one removes it.  The program's end is shown.
ulf echo 'count > 5' "$event/filter" || fail "filter"
ulf echo 1 "$event/enable" || fail "enable"
start_tmux 110 24 "ulf watch -d 0.2 hello"
until_shows '^ \* hello:hello_request +[1-9][0-9.]+ +[1-9][0-9]*  count > 5$'
left=$(instances)
kill -9 "$(echo "$left" | tr -dc 0-9)"
until_shows '^status 137'
expect "the instance that was left" "$left" "$(instances)"
start_tmux 110 24 "ulf watch -d 0.2 hello"
until_shows '^ \* hello:hello_request +[1-9]'
expect "instances" 1 "$(instances | wc -l)"
[ "$(instances)" != "$left" ] || fail "the instance of the killed command is there"
kill -9 "$pid"
wait "$pid" 2>/dev/null
until_shows "^$root: dead, 1 of 1 events on, 0.0 hits/s"
press q
until_shows '^status 0'
expect "instances of the dead root" "" "$(instances)"
expect "enable" 1 "$(ulf cat "$event/enable")"
exit 0
