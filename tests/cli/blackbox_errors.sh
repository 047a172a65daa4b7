#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf blackbox says what is wrong: with error_log's reason and caret if the server does not take
# it, and with a remedy; then it has changed nothing.
. tests/cli/common
. tests/cli/kvd

start_kvd
settings() {
	ulf cat "$root/set_event" "$event/enable" "$event/trigger"
	ulf cat "$root/snapshot" | grep '^# \* Snapshot'
}
before=$(settings)

# refused STATUS ARGS: said has the message.
refused() {
	wanted=$1
	shift
	said=$(ulf blackbox -o "$inc" "$@" 2>&1)
	expect "status of $*" "$wanted" $?
	expect "settings after $*" "$before" "$(settings)"
}

refused 1 "$root" kv_end nosuch '>' 3
expect "the reason" "event filter parse error: error: Field not found
  Command: nosuch > 3
                  ^" "$(echo "$said" | tail -n 3)"
refused 1 "$root" kv_end usecs '>' fox
contains "$said" "Command: usecs > fox"
refused 1 "$root" kv_end op '==' KV_NONE
contains "$said" "Command: op == KV_NONE"
refused 1 "$root" kv_edn usecs '>' 3
contains "$said" "Event not found (did you mean 'kv_end'?)
  Command: kv_edn
           ^"
refused 1 "$root" kv:kv_edn usecs '>' 3
contains "$said" "did you mean 'kv:kv_end'?"
refused 1 "$root" kv usecs '>' 3
contains "$said" "kv is a system; name one of its events: kv:kv_begin"
refused 1 "$root" 'kv_*' usecs '>' 3
contains "$said" "$root has no event kv_*"
refused 1 -e kv_end,nosuch "$root" kv_end usecs '>' 3
contains "$said" "Event not found"
refused 1 nosuch kv_end usecs '>' 3
contains "$said" "no root is called \`nosuch\`"
refused 1 "$root/instances/nosuch" kv_end usecs '>' 3
contains "$said" "$root/instances/nosuch/tracing_on: No such file or directory"

# A shell takes > without quotes for a redirection, so the operator is missing.
refused 2 "$root" kv_end usecs 3
refused 2 kv_end usecs
contains "$said" "quote > and < in a shell: '>'"
refused 2 "$root" kv_end usecs '>' 3 4
refused 2 -k 0 "$root" kv_end usecs '>' 3
contains "$said" "-k 0: not a number of files"
refused 2 -k many "$root" kv_end usecs '>' 3
# A limit may look like an option.
start_box "$root" kv_end client '==' -1
end_box TERM
expect "status" 0 "$status"
expect "settings" "$before" "$(settings)"

# The command leaves triggers and snapshots alone that it has not made.
ulf echo 'snapshot if usecs > 5' "$event/trigger"
before=$(settings)
refused 1 "$root" kv_end usecs '>' 3
contains "$said" "kv:kv_end has a trigger that takes snapshots"
ulf echo '!snapshot' "$event/trigger"
ulf echo kv:kv_begin "$root/set_event"
ask "get fox"
ulf echo 1 "$root/snapshot"
before=$(settings)
refused 1 "$root" kv_end usecs '>' 3
contains "$said" "$root/snapshot has records, which an incident would replace"
contains "$(ulf cat "$root/snapshot")" "key=fox"
ulf echo 0 "$root/snapshot"
ulf echo 0 "$root/tracing_on"
before=$(settings)
refused 1 "$root" kv_end usecs '>' 3
contains "$said" "$root does not record: \`ulf echo 1 $root/tracing_on\` starts it"
ulf echo 1 "$root/tracing_on"

# The trigger is removed by somebody else; the directory cannot be written to.
start_box "$root" kv_end usecs '>' 1000000000
ulf echo '!snapshot' "$event/trigger"
wait "$box"
expect "status without trigger" 1 $?
contains "$(cat "$TMPDIR/err")" "somebody has removed the trigger"
rm -rf "$inc"
echo file >"$inc"
refused 1 "$root" kv_end usecs '>' 3
contains "$said" "$inc: Not a directory"
exit 0
