#!/bin/sh
# SPDX-License-Identifier: MIT
# user: root it is several users
# no-sanitize: address a process that cannot be traced cannot look for leaks
# `ulf --user` and `ulf ls --all` show an administrator the roots of other users, in processes
# that have only the rights of that user.  Users other than root get a clear error.
. tests/cli/common
. tests/cli/users
alice=$user_a bob=$user_b shm=/dev/shm
finish() {
	kill_started
	end_users
	ulf stop >/dev/null
}

start_as $alice "$hello"
pids="$pids $!" of_alice=hello.$!
start_as $bob "$hello"
pids="$pids $!" of_bob=hello.$!
"$hello" &
pids="$pids $!" of_root=hello.$!
all() { ulf ls --all | awk 'NR > 1 { print $1, $2, $4, $5 }' | sort; }
all_wanted=$(printf '%s\n' "$alice $of_alice alive 0/1" "$bob $of_bob alive 0/1" \
	"root $of_root alive 0/1" | sort)
are_all() { [ "$(all)" = "$all_wanted" ]; }
until_true are_all
expect "header" "USER ROOT PID STATE EVENTS BYTES OVERRUNS" "$(ulf ls --all | head -n 1 | xargs)"
expect "users in the long list" 3 "$(ulf ls --all --long | grep -c '^  user ')"
expect "servers that ls --all started" "" "$(ls -d /dev/shm/ulf-*/server.lock 2>/dev/null)"

# Run all commands that read or write files of roots.
u="ulf --user $alice"
$u ls | grep -q "^$of_alice .* alive" || fail "$($u ls)"
$u ls | grep -q "$of_bob" && fail "bob's root: $($u ls)"
expect "events" hello:hello_request "$($u cat hello/available_events)"
$u echo 1 hello/events/enable || fail "echo"
expect "switched" 1 "$(as $alice ulf cat hello/events/enable)"
has_records() { $u cat hello/trace | grep -q hello_request; }
until_true has_records
$u dump | grep -q hello_request || fail "dump"
$u check hello >/dev/null || fail "check"
text=$($u rm "$of_alice" 2>&1) && fail "rm: $text"
contains "$text" "$of_alice is alive"
expect "owners" "$alice" "$(stat -c %u /dev/shm/ulf-$alice /dev/shm/ulf-$alice/* | sort -u)"
ulf ls --all | grep -q "^$alice .* 1/1 " || fail "$(ulf ls --all)"
ulf --user=$alice ls >/dev/null || fail "--user=UID"
ulf --user root ls | grep -q "^$of_root " || fail "--user root"
name=$(id -nu 65534)
ulf --user "$name" ls >/dev/null || fail "by name"
expect "whose" "$name" "$(stat -c %U /dev/shm/ulf-65534)"
ulf --user "$name" stop

# root has no CAP_SYS_ADMIN, as in a container.  Then the filter needs no_new_privs.
few="setpriv --bounding-set=-sys_admin --inh-caps=-sys_admin"
expect "CAP_SYS_ADMIN" 0 "$($few sh -c '
	echo $((0x$(sed -n "s/^CapEff:\t//p" /proc/self/status) >> 21 & 1))')"
text=$($few $u ls 2>&1) || fail "--user without CAP_SYS_ADMIN: $text"
contains "$text" "$of_alice"
expect "ls --all without CAP_SYS_ADMIN" "$(ulf ls --all | cut -c1-50)" \
	"$($few ulf ls --all 2>&1 | cut -c1-50)"
# Without CAP_SETUID ulf fails and gives the reason.
text=$(setpriv --bounding-set=-setuid --inh-caps=-setuid ulf ls --all 2>&1) && fail "ls --all: $text"
contains "$text" "the roots of $alice could not be read, or not all of them: Operation not permitted"

# ULF_DIR and other variables of root's environment are not passed to the user's processes.
server=$(cat /dev/shm/ulf-$alice/server.lock)
$u stop || fail "stop"
mkdir -m 700 "$TMPDIR/root"
ULF_DIR=$TMPDIR/root LD_PRELOAD=nosuch.so SECRET=secret $u ls 2>/dev/null | grep -q "^$of_alice " ||
	fail "with ULF_DIR"
expect "made for root" "" "$(ls -A "$TMPDIR/root")"
server=$(cat /dev/shm/ulf-$alice/server.lock)
expect "environment of the server" "" \
	"$(tr '\0' '\n' <"/proc/$server/environ" | grep -E 'SECRET|LD_|TMPDIR|ULF_BUILD')"

# Processes of --user have no capability and no group.  After exec() has made them visible to the
# user, they have no terminal and no descriptor of root's.  If the log cannot be opened, the
# server waits while it starts.
servers() {
	for server in $(pgrep -u $alice -f '^ulf:? server'); do echo "$server"; done
}
are_starting() { [ "$(servers | wc -l)" -ge "$1" ]; }
check_rights() {
	expect "groups of $1" "" "$(awk '/^Groups/ { print $2 }' "/proc/$1/status")"
	expect "ids of $1" "$alice $alice $alice $alice" \
		"$(awk '/^Uid/ { print $2, $3, $4, $5 }' "/proc/$1/status")"
	expect "capabilities of $1" "" "$(awk '/^Cap(Inh|Prm|Eff|Amb)/ && $2 !~ /^0+$/' \
		"/proc/$1/status")"
}
check_server() {
	check_rights "$1"
	expect "terminal of $1" 0 "$(sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f5)"
	expect "descriptors of $1" "" "$(find "/proc/$1/fd" -lname '/dev/pts/*' -o \
		-lname '/dev/tty*' -o -lname "$TMPDIR/of-root")"
	expect "directory of $1" / "$(readlink "/proc/$1/cwd")"
}
if ! command -v script >/dev/null; then
	echo "no script(1): root's terminal is not tested"
else
	$u stop
	rm $shm/ulf-$alice/server.log
	as $alice mkfifo $shm/ulf-$alice/server.log
	: >"$TMPDIR/of-root"
	cd "$TMPDIR" || fail "cd"
	script -qec "exec 9<$TMPDIR/of-root; $u cat hello/trace_pipe" "$TMPDIR/typescript" \
		>/dev/null 2>&1 &
	pids="$pids $!"
	until_true are_starting 2
	for server in $(servers); do check_server "$server"; done
	cat $shm/ulf-$alice/server.log >"$TMPDIR/log" &
	pids="$pids $!"
	until_true grep -q hello_request "$TMPDIR/typescript"
	for server in $(servers); do check_server "$server"; done

	# The command itself has the terminal.  The user cannot get it, although the process has
	# the user's id.
	command=$(pgrep -u $alice -f trace_pipe)
	check_rights "$command"
	[ -n "$(find "/proc/$command/fd" -lname '/dev/pts/*')" ] || fail "no terminal"
	expect "its input" /dev/null "$(readlink "/proc/$command/fd/0")"
	expect "other descriptors" "" "$(find "/proc/$command/fd" -lname "$TMPDIR/of-root")"
	as $alice ls "/proc/$command/fd" 2>/dev/null && fail "its descriptors can be had"
	as $alice cat "/proc/$command/environ" 2>/dev/null && fail "its environment can be read"
	as $alice dd if="/proc/$command/mem" count=1 2>/dev/null && fail "its memory can be read"
	if ! command -v gdb >/dev/null; then
		echo "no gdb: ptrace() by the user is not tested"
	else
		as $alice gdb -nx -batch -p "$command" -ex 'echo got it\n' 2>&1 |
			grep 'ptrace: Operation not permitted' >/dev/null ||
			fail "it can be traced"
	fi
	expect "seccomp filter of $command" 2 "$(awk '/^Seccomp:/ { print $2 }' \
		"/proc/$command/status")"
	as $alice kill -9 "$command"
	until_true grep -q 'ended by signal 9' "$TMPDIR/typescript"
fi

# `ls --all` lists the default directories even if ULF_DIR is set.
mkdir -m 700 "$TMPDIR/elsewhere"
expect "ls --all with ULF_DIR" "$(all)" "$(ULF_DIR=$TMPDIR/elsewhere; export ULF_DIR; all)"

# If a second directory has roots, the command that ulf recommends lists them.
as $alice mkdir -m 700 $shm/ulf-$alice.1
start_as $alice env ULF_DIR=$shm/ulf-$alice.1 "$hello"
pids="$pids $!" second=hello.$!
until_true test -d "$shm/ulf-$alice.1/roots/$second"
advice=$($u ls 2>&1 >/dev/null | sed -n "s/.*more roots of $alice in .*; \`\(.*\)\` lists.*/\1/p")
[ -n "$advice" ] || fail "no advice: $($u ls 2>&1)"
$advice | grep -q "^$second .* alive" || fail "$advice: $($advice 2>&1)"
setpriv --reuid=$alice --regid=$alice --clear-groups env ULF_DIR=$shm/ulf-$alice.1 ulf stop
advice=$(ulf --user "$name" ls 2>&1 >/dev/null)
expect "no advice for $name" "" "$advice"
as 65534 mkdir -m 700 $shm/ulf-65534.1 $shm/ulf-65534.1/roots $shm/ulf-65534.1/roots/hello.1
contains "$(ulf --user "$name" ls 2>&1)" \
	"\`runuser -u $name -- env ULF_DIR=$shm/ulf-65534.1 ulf ls\` lists them"
ulf --user "$name" stop

# A user who has no roots yet is warned if logind would remove the records at logout.
hint="records in /dev/shm are removed at the last logout"
hints() { as 65534 ulf ls 2>&1 | grep -c "$hint"; }
rm -rf $shm/ulf-65534*
expect "no logind" 0 "$(hints)"
mkdir -p /run/systemd/seats
expect "systemd is installed, but has not booted" 0 "$(hints)"
mkdir /run/systemd/system
expect "logind" 1 "$(hints)"
expect "a system user" 0 "$(ulf --user 999 ls 2>&1 | grep -c "$hint")"
ulf --user 999 stop
mount -t tmpfs none /var/lib || fail "/var/lib"
mkdir -p /var/lib/systemd/linger
expect "no linger" 1 "$(hints)"
touch "/var/lib/systemd/linger/$name"
expect "linger" 0 "$(hints)"
umount /var/lib
expect "with roots" 0 "$(as $alice ulf ls 2>&1 | grep -c "$hint")"
as 65534 ulf stop
mkdir -m 1777 /run/ulf
expect "/run/ulf" 0 "$(hints)"
as 65534 ulf stop
rm -rf /run/ulf /run/systemd

# A closed pipe is not reported as an error.
$u cat hello/trace_pipe 2>"$TMPDIR/err" | head -n 1 | grep -q hello_request || fail "head"
expect "errors with head" "" "$(cat "$TMPDIR/err")"

# A user name of 64 bytes or more is not truncated: another user may have the truncated name.
long=$(printf '%0100d' 0 | tr 0 x) too_long=$(printf '%0256d' 0 | tr 0 y)
{ cat /etc/passwd; echo "$long:x:$alice:$alice::/:/bin/sh"
	echo "$too_long:x:$bob:$bob::/:/bin/sh"; } >"$TMPDIR/passwd"
chmod 644 "$TMPDIR/passwd"
mount --bind "$TMPDIR/passwd" /etc/passwd || fail "/etc/passwd"
ulf --user "$long" ls | grep -q "^$of_alice " || fail "a long name"
text=$(ulf --user "$too_long" ls 2>&1) && fail "a name that is too long: $text"
contains "$text" "is longer than 255 bytes"
ulf ls --all | grep -q "^$bob .*$of_bob " || fail "by number: $(ulf ls --all)"
umount /etc/passwd

# Commands that are refused, and their messages.
for command in run mount umount exec server; do
	text=$($u $command true 2>&1)
	expect "status of $command" 2 $?
	contains "$text" "\`ulf --user\` has no \`$command\`"
done
text=$(ulf --user nosuchuser ls 2>&1) && fail "--user with an unknown user: $text"
contains "$text" "no user is named \`nosuchuser\`; give a user name or a numeric user id"
text=$(ulf --user $alice 2>&1)
expect "no command" "2 ulf: --user needs a user and a command" "$? $text"
text=$(as $bob ulf --user $alice ls 2>&1) && fail "bob: $text"
contains "$text" "only root can look at the roots of another user"
as $bob ulf --user $bob ls | grep -q "^$of_bob " || fail "bob's own roots"
text=$(as $bob ulf ls --all 2>&1)
contains "$text" "only root sees the roots of other users"
contains "$text" "$of_bob"
case $text in *"$of_alice"*) fail "bob sees: $text" ;; esac
text=$(ulf cat "$of_alice/trace" 2>&1) && fail "another user's: $text"
contains "$text" "$of_alice is a root of $alice: use \`ulf --user $alice COMMAND\`"
text=$(as $bob ulf cat "$of_alice/trace" 2>&1) && fail "bob reads: $text"
contains "$text" "belongs to $alice: if it has a root, root can look at it with \`ulf --user $alice"
text=$(ULF_DIR=/dev/shm/ulf-$alice ulf ls 2>&1) && fail "by ULF_DIR: $text"
contains "$text" "belongs to $alice: look at it with \`ulf --user $alice COMMAND\`"
text=$(ULF_DIR=/dev/shm/ulf-$alice ulf dump "$of_alice" 2>&1) && fail "dump by ULF_DIR: $text"
contains "$text" "belongs to $alice: look at it with \`ulf --user $alice COMMAND\`"
exit 0
