#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf blackbox ends with ^C, SIGTERM or the program, and leaves the root's settings as they were.
# The incident that has killed the program is kept.
. tests/cli/common
. tests/cli/kvd

# settings: all that the command may change
settings() {
	ulf cat "$root/set_event" "$root/events/kv/kv_grow/enable" "$event/enable" "$event/trigger" "$event/filter"
	ulf cat "$root/snapshot" | grep '^# \* Snapshot'
	ulf ls "$root/instances"
}

start_kvd
# An event with a trigger is in set_event while it is off, too.
ulf echo 'traceon if nr_keys == 0' "$root/events/kv/kv_grow/trigger" || fail "trigger"
for signal in INT TERM HUP; do
	ulf echo -a kv:kv_begin "$root/set_event"
	before=$(settings)
	start_box -e kv_begin,kv_grow -e kv:kv_save "$root" kv_end op == KV_SAVE
	expect "events" "kv:kv_begin kv:kv_end kv:kv_grow kv:kv_save" \
		"$(ulf cat "$root/set_event" | sort | xargs)"
	ask "save $TMPDIR/saved"
	until_true has_said '^incident 1: '
	end_box $signal
	expect "status after $signal" 0 "$status"
	expect "settings after $signal" "$before" "$(settings)"
	# Other settings: the event is on, the snapshot has rings.
	ulf echo kv:kv_end "$root/set_event"
	ulf echo 1 "$root/snapshot"
	ulf echo 2 "$root/snapshot"
done

# The last incident came just before the signal: nobody has looked since.
start_box "$root" kv_end op == KV_SAVE
kill -STOP "$box"
ask "save $TMPDIR/saved"
kill -TERM "$box"
kill -CONT "$box"
wait "$box"
contains "$(cat "$(file_of 1)")" "op=save"

# An instance has incidents of its own.
mnt=$(ulf mount 2>/dev/null) && {
	mkdir "$mnt/$root/instances/mine" || fail "mkdir"
	event=$root/instances/mine/events/kv/kv_end
	before=$(settings)
	start_box "$root/instances/mine" kv_end op == KV_SAVE
	ask "save $TMPDIR/saved"
	until_true has_said '^incident 1: '
	contains "$(cat "$(file_of 1)")" "# root:   $root/instances/mine"
	expect "events of the instance" 1 "$(records "$(file_of 1)" kv_end)"
	end_box TERM
	expect "settings of the instance" "$before" "$(settings)"
	event=$root/events/kv/kv_end
}

# The next server goes on where a killed one was.
start_box "$root" kv_end op == KV_SAVE
kill_server
ask "save $TMPDIR/saved"
until_true has_said '^incident 1: '
wait_armed
kill_server
ask "save $TMPDIR/saved"
until_true has_said '^incident 2: '
end_box TERM
expect "status" 0 "$status"

# The program dies of it, before anybody has looked.
start_box -e kv "$root" kv_end op == KV_SAVE
kill -STOP "$box"
ask "get fox"
ask "save $TMPDIR/saved"
kill -9 "$pid"
until_true is_gone "$pid"
until_true is_listed "$root" dead
kill -CONT "$box"
wait "$box"
expect "status at the program's end" 0 $?
contains "$(tail -n 1 "$(file_of 1)")" "kv_end: client=1 op=save"
contains "$(cat "$(file_of 1)")" "key=fox"
contains "$(tail -n 1 "$out")" "1 incident in $inc"

# Nothing more happens in a dead one.
text=$(ulf blackbox -o "$inc" "$root" kv_end op == KV_SAVE 2>&1) && fail "a dead root: $text"
contains "$text" "$root: the program has ended"
exit 0
