#!/bin/sh
# SPDX-License-Identifier: MIT
# If ULF_DIR is not set, a program that was started before login and a command that is typed after
# it use the same directory for roots.  With /run/ulf a logout loses nothing.
. tests/cli/common

if [ "${1-}" != inside ]; then
	unshare -rm true 2>/dev/null || skip "no user namespaces"
	unshare -rm sh tests/cli/place.sh inside
	exit
fi

# login makes the session's directory.  At logout logind removes this directory, and the user's
# files in /dev/shm (RemoveIPC=).
login() {
	mkdir -p /run/user/0
	chmod 700 /run/user/0
	XDG_RUNTIME_DIR=/run/user/0
	export XDG_RUNTIME_DIR
}
logout() {
	rm -rf /run/user/0
	find /dev/shm -mindepth 1 -user 0 -delete || fail "logout"
	unset XDG_RUNTIME_DIR
}
has_bytes() { [ "$(ulf ls | awk -v root="$root" '$1 == root { print $5 }')" -gt 100 ]; }

mount -t tmpfs -o mode=1777 none /dev/shm || skip "no tmpfs in a user namespace"
mount -t tmpfs none /run || fail "/run"
unset ULF_DIR XDG_RUNTIME_DIR

# run_session DIRECTORY: start a daemon before login, log in, trace the daemon, and start another
# program in the session.  All roots must be in DIRECTORY.  Sets root (of the daemon) and
# in_session.
run_session() {
	start_hello
	expect "before login" "$root" "$(ls "$1/roots")"
	login
	is_listed "$root" alive || fail "after login: $(ulf ls)"
	ulf echo 1 "$root/events/enable" || fail "after login"
	until_true has_bytes
	# A program that is started in the session uses the directory of the daemon.
	daemon=$root
	start_hello
	is_listed "$daemon" alive || fail "both: $(ulf ls)"
	ulf echo 1 "$root/events/enable" || fail "in the session"
	until_true has_bytes
	expect "nothing in the session's directory" "" "$(ls /run/user/0)"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	in_session=$root root=$daemon
}

# The administrator has made /run/ulf: roots survive a logout, alive and dead, with the server and
# with a new one.
mkdir /run/ulf
mount -t tmpfs -o mode=1777,nosuid,nodev,noexec none /run/ulf || fail "/run/ulf"
run_session /run/ulf/0
echo lost >/dev/shm/of-the-user
logout
expect "/dev/shm after logout" "" "$(ls -A /dev/shm)"
has_bytes || fail "after logout: $(ulf ls)"
until_true is_listed "$in_session" dead
ulf stop || fail "stop"
has_bytes || fail "after logout, another server: $(ulf ls)"
is_listed "$in_session" dead || fail "the dead root, another server: $(ulf ls)"
login
has_bytes || fail "the next login: $(ulf ls)"
ulf stop || fail "stop"
umount -l /run/ulf
rmdir /run/ulf
rm -rf /run/user/0
unset XDG_RUNTIME_DIR

# Without /run/ulf: roots are in /dev/shm, for users whose files logind does not remove.
run_session /dev/shm/ulf-0
ulf stop || fail "stop"
has_bytes || fail "another server: $(ulf ls)"
ulf stop || fail "stop"

# /run/ulf, if it is there, comes first.  ulf ls also reports roots in other directories.
mkdir /run/ulf
mount -t tmpfs -o mode=1777,nosuid,nodev,noexec none /run/ulf || fail "/run/ulf"
"$hello" &
pids="$pids $!"
until_true test -d "/run/ulf/0/roots/hello.$!"
text=$(ulf ls 2>&1) || fail "$text"
contains "$text" "hello.$!"
contains "$text" "more roots of this user in /dev/shm/ulf-0; \`ULF_DIR=/dev/shm/ulf-0 ulf ls\`"
ULF_DIR=/dev/shm/ulf-0 ulf ls 2>"$TMPDIR/err" | grep -q "^$root " || fail "by ULF_DIR"
expect "no hint with ULF_DIR" "" "$(cat "$TMPDIR/err")"
ulf stop
ULF_DIR=/dev/shm/ulf-0 ulf stop
umount -l /run/ulf
rmdir /run/ulf

# Without /dev/shm the session's directory is used while it exists.
mount -t tmpfs -o ro none /dev/shm || fail "read-only"
start_hello
expect "the session's" "$root" "$(ls /run/user/0/ulf/roots)"
unset XDG_RUNTIME_DIR
is_listed "$root" alive || fail "without the variable: $(ulf ls)"
ulf stop
umount /dev/shm
text=$(ulf ls 2>&1)
contains "$text" "more roots of this user in /run/user/0/ulf"
ulf stop
mount -t tmpfs -o ro none /dev/shm || fail "read-only"
rm -rf /run/user/0
text=$(ulf ls 2>&1) && fail "there is no place: $text"
contains "$text" "set ULF_DIR to a directory of yours"
umount /dev/shm

# ulf and libulf both refuse a relative ULF_DIR, and make no file.
mkdir "$TMPDIR/cwd"
cd "$TMPDIR/cwd" || fail "cd"
text=$(ULF_DIR=here ulf run -- true 2>&1) && fail "a relative ULF_DIR: $text"
contains "$text" "ULF_DIR must be an absolute path"
mkdir -m 700 here
printf '1\n' | ULF_DIR=here ULF_TRACE=trace_event=emit "$ULF_BUILD/tests/clients-emit" >/dev/null ||
	fail "the program does not run"
expect "a root in a relative directory" "" "$(find here -mindepth 1)"
printf '1\n' | ULF_DIR="$PWD/here" ULF_TRACE=trace_event=emit "$ULF_BUILD/tests/clients-emit" \
	>/dev/null || fail "the program does not run"
[ -d here/roots ] || fail "an absolute directory"
exit 0
