#!/bin/sh
# SPDX-License-Identifier: MIT
# ulf exec: the command finds a root where the kernel has its tracefs, with the user and rights of
# the caller, and no other process finds it there.  Exit status, signals and streams are those of
# the command.
. tests/cli/common
T=/sys/kernel/tracing

[ "$(id -u)" = 0 ] || unshare -Um true 2>/dev/null ||
	skip "no user namespaces for users here"
[ -d $T ] || skip "this kernel has no $T"

text=$(ulf exec true 2>&1)
expect "status without a root" 126 $?
contains "$text" "there is no root"

start_hello
first=$root
before=$(cat /proc/self/mounts)
expect "files" "$(ulf ls "$first" | tr -d / | sort)" "$(ulf exec ls $T | sort)"
ulf exec sh -c "echo 1 >$T/events/enable" || fail "write"
expect "enable" 1 "$(ulf cat "$first/events/enable")"
expect "mounts outside" "$before" "$(cat /proc/self/mounts)"

# The command has the user id of the caller, and no new rights.
expect "user" "$(id -u):$(id -g)" "$(ulf exec sh -c 'echo $(id -u):$(id -g)')"
[ "$(id -u)" = 0 ] || expect "capabilities" 0000000000000000 \
	"$(ulf exec awk '/^CapEff/ { print $2 }' /proc/self/status)"
ulf exec sh -c "> '$TMPDIR/made'"
expect "owner" "$(id -u)" "$(stat -c %u "$TMPDIR/made")"

# Tools also read these files outside of tracefs.
ulf exec sh -c 'echo 1 >/proc/sys/kernel/ftrace_enabled' || fail "ftrace_enabled"
main=$(ulf exec grep -c ' t main$' /proc/kallsyms)
expect "main in kallsyms" 1 "$main"
ulf exec grep -q '\[libc]$' /proc/kallsyms || fail "libc in kallsyms"
expect "no left-overs" "" "$(ls "$ULF_DIR" | grep exec)"

ulf exec sh -c 'exit 7'
expect "status" 7 $?
ulf exec sh -c 'kill -USR1 $$'
expect "signal" $((128 + 10)) $?
expect "streams" "in" "$(echo in | ulf exec cat)"
expect "options" "-a --help" "$(ulf exec printf '%s %s' -a --help)"
text=$(ulf exec ./no-such-command 2>&1)
expect "status of no command" 127 $?
contains "$text" "no-such-command"
ulf exec >/dev/null 2>&1
expect "status without a command" 2 $?

# ulf exec uses the only root that is alive, or the root before --.  If -- is missing, it says so.
remedy="$first is a root: write \`ulf exec $first -- COMMAND\`"
text=$(ulf exec "$first" true 2>&1) && fail "a root is a command: $text"
contains "$text" "$remedy"
start_hello
text=$(ulf exec true 2>&1)
expect "status with two roots" 126 $?
contains "$text" "$first (alive)"
contains "$text" "$root (alive)"
case $text in *"is a root"*) fail "true is a root: $text" ;; esac
text=$(ulf exec "$first" true 2>&1)
expect "status with two roots without --" 126 $?
contains "$text" "$remedy"
expect "the one that is named" 0 "$(ulf exec "$root" -- cat $T/events/enable)"
expect "by process id" 1 "$(ulf exec "${first#hello.}" -- cat $T/events/enable)"
text=$(ulf exec nosuch -- true 2>&1)
expect "status of no root" 126 $?
contains "$text" "nosuch"
ulf echo 1 "$root/events/enable"
ulf echo 0 "$first/events/enable"
has_record() { ulf exec "$root" -- grep -q ": hello_request: " $T/trace; }
until_true has_record
ulf exec "$root/events" -- true 2>/dev/null
expect "status of a part of a root" 126 $?
die "$pid"
expect "the one that is alive" 0 "$(ulf exec cat $T/events/enable)"
has_record || fail "a dead one"

# When the server ends, the files are gone, but no process hangs.  The user's own mount ends with
# the server, too, and comes back without the one of ulf exec.
mnt=$(ulf mount) || fail "mount"
ulf exec sh -c "ulf stop && ! cat $T/README" 2>"$TMPDIR/err" || fail "a server that ends"
expect "mount" "" "$(ls "$mnt")"
expect "again" 0 "$(ulf exec cat $T/events/enable)"
kill_server
expect "after kill -9" 0 "$(ulf exec cat $T/events/enable)"
exit 0
