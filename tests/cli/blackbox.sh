#!/bin/sh
# SPDX-License-Identifier: MIT
# waits: a server has to be slow for it
# ulf blackbox writes the trace around a slow request of a server to a file, with what led to
# it, while recording goes on.  A second incident that comes too early is counted.  DIR keeps K
# files.
. tests/cli/common
. tests/cli/kvd

start_kvd
mkdir "$inc" || fail mkdir
echo mine >"$inc/incident-notes.txt"

# slow_request N: a save to a file for which the server waits until it is read.
slow_request() {
	echo "save $fifo" >&8
	until_true saves_are "$1"
}
saves_are() { [ "$(ulf cat "$root/trace" | grep -c 'kv_save: ')" = "$1" ]; }
end_request() {
	cat "$fifo" >/dev/null
	read -r said <&9
	expect "the answer" ok "$said"
}


start_box -e kv "$root" kv_end usecs '>' 1000000
expect "what it waits for" "$root: waiting for kv:kv_end if usecs > 1000000; ^C ends" \
	"$(cat "$out")"
ask "set fox red"
ask "get fox"
expect "the answer" red "$said"
slow_request 1
let_server_run 3
end_request
until_true has_said '^incident 1: '
file=$(file_of 1)
expect "files" 1 "$(nr_files)"
expect "head" "# ulf blackbox: incident 1
# root:   $root
# event:  kv:kv_end
# limit:  usecs > 1000000
# clock:  local" "$(sed -n '/^# ulf/,/^# clock/p' "$file" | grep -v '^# time: ')"
expect "date" "$(date +%Y-%m)" "$(sed -n 's/^# time:   \(....-..\)-.. ..:..:.. .*/\1/p' "$file")"
# The past is there, and the event itself is the last record.
contains "$(cat "$file")" "kv_begin: client=1 op=set key=fox"
contains "$(tail -n 1 "$file")" "kv_end: client=1 op=save usecs="
expect "slow" slow "$(sed -n '$s/.*usecs=\([0-9]*\)$/\1/p' "$file" |
	awk '$1 > 1000000 { print "slow" }')"
# Recording goes on.
ask "get owl"
contains "$(ulf cat "$root/trace")" "key=owl"
end_box INT
expect "status" 0 "$status"
expect "the end" "1 incident in $inc, 0 missed" "$(tail -n 1 "$out")"

# An enum as the limit; the second incident comes while the box cannot write the first.
ulf echo 4 "$root/buffer_size_kb"
start_box "$root" kv:kv_end op == KV_SAVE
kill -STOP "$box"
ask "save $TMPDIR/first"
ask "save $TMPDIR/second"
kill -CONT "$box"
until_true has_said '^incident 1: '
until_true has_said '^missed: 1 incident since then$'
wait_armed
ask "save $TMPDIR/third"
until_true has_said '^incident 2: '
expect "missed" "# missed: 0 since the incident before" "$(grep '^# missed' "$(file_of 1)")"
expect "missed" "# missed: 1 since the incident before" "$(grep '^# missed' "$(file_of 2)")"
expect "first" 1 "$(grep -c 'op=save' "$(file_of 1)")"
contains "$(tail -n 1 "$(file_of 1)")" "kv_end: client=1 op=save"
end_box TERM
expect "the end" "2 incidents in $inc, 1 missed" "$(tail -n 1 "$out")"

# The oldest files go; others stay.
start_box -k 2 "$root" kv/kv_end op '!=' 1
for i in 1 2 3 4; do
	ask "get number$i"
	until_true has_said "^incident $i: "
	wait_armed
done
end_box TERM
expect "files" 2 "$(nr_files)"
for i in 3 4; do
	contains "$(cat "$(file_of $i)")" "kv_end: client=1 op=get"
done
expect "order" "$(file_of 3) $(file_of 4)" "$(echo "$inc"/incident-2*)"
expect "my file" mine "$(cat "$inc/incident-notes.txt")"

# An event that histograms make of two others
ulf echo 'kv_slow u64 time; int client' "$root/synthetic_events" &&
	ulf echo 'hist:keys=client:begin=common_timestamp.usecs' "$root/events/kv/kv_begin/trigger" &&
	ulf echo 'hist:keys=client:time=common_timestamp.usecs-$begin:onmatch(kv.kv_begin).trace(kv_slow,$time,client)' \
		"$event/trigger" || fail "histograms"
start_box -e kv "$root" kv_slow time '>=' 0
ask "get fox"
until_true has_said '^incident 1: '
contains "$(tail -n 1 "$(file_of 1)")" "kv_slow: time="
contains "$(cat "$(file_of 1)")" "kv_begin: client=1 op=get key=fox"
end_box TERM
expect "triggers" 1 "$(ulf cat "$event/trigger" | wc -l)"
exit 0
