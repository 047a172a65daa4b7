#!/bin/sh
# SPDX-License-Identifier: MIT
# There is one server per directory.  It is started when it is needed, and ends on request, on
# SIGTERM and when its directory is removed.  A directory that is not safe is refused.
. tests/cli/common

expect "stop without a server" "no server runs in $ULF_DIR" "$(ulf stop)"
ulf ls >/dev/null || fail "ls"
first=$(server_pid)
ulf ls >/dev/null
expect "server of the second command" "$first" "$(server_pid)"
# Each process of a server has a name of its own, and arguments that name the directory.
pid=$(server_pid)
expect "comm" ulf-server "$(cat "/proc/$pid/comm")"
expect "args" "ulf: server $ULF_DIR" "$(ps -o args= -p "$pid")"
mounter=$(ps -o pid= --ppid "$pid" | while read -r child; do
	[ "$(cat "/proc/$child/comm")" != ulf-mounter ] || ps -o args= -p "$child"
done)
expect "mounter" "ulf: mounter $ULF_DIR" "$mounter"

text=$(ulf server 2>&1) && fail "a second server runs"
contains "$text" "runs already"
ulf server --background || fail "--background with a server"
expect "server" "$first" "$(server_pid)"
ulf stop || fail "stop"
until_true is_gone "$first"
[ ! -e "$ULF_DIR/server.sock" ] || fail "the socket is still there"

# Many commands at the same time start one server.
for i in 1 2 3 4 5 6 7 8; do
	ulf ls >"$TMPDIR/ls.$i" 2>&1 &
	eval "job$i=\$!"
done
for i in 1 2 3 4 5 6 7 8; do
	eval "wait \$job$i" || fail "ls $i: $(cat "$TMPDIR/ls.$i")"
done

# After a crash nobody listens on the socket.
kill_server
[ -S "$ULF_DIR/server.sock" ] || fail "kill -9 removed the socket"
ulf ls >/dev/null || fail "ls after a crash"
# Start a server while the last one is still ending.
for i in 1 2 3 4 5 6 7 8 9 10; do
	kill -9 "$(server_pid)"
	text=$(ulf ls 2>&1) || fail "ls after kill -9, round $i: $text"
done
third=$(server_pid)
kill -TERM "$third"
until_true is_gone "$third"
[ ! -e "$ULF_DIR/server.sock" ] || fail "SIGTERM left the socket"

# A server in the foreground, whose directory is removed
mkdir -m 700 "$TMPDIR/dir"
ULF_DIR=$TMPDIR/dir ulf server 2>"$TMPDIR/err" &
job=$!
grep_ready() { grep -q serving "$TMPDIR/err"; }
until_true grep_ready
rm -rf "$TMPDIR/dir"
wait $job
expect "status of a server without directory" 0 $?

mkdir -m 755 "$TMPDIR/open"
text=$(ULF_DIR=$TMPDIR/open ulf ls 2>&1) && fail "a directory open to others was taken"
contains "$text" "chmod 700"
ln -s "$ULF_DIR" "$TMPDIR/link"
text=$(ULF_DIR=$TMPDIR/link ulf ls 2>&1) && fail "a symbolic link was taken"
contains "$text" "$TMPDIR/link"
text=$(ULF_DIR=relative ulf ls 2>&1) && fail "a relative path was taken"
contains "$text" "absolute"
[ "$(id -u)" = 0 ] || {
	text=$(ULF_DIR=/ ulf ls 2>&1) && fail "another user's directory was taken"
	contains "$text" "another user"
}
exit 0
