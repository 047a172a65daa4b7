#!/bin/sh
# SPDX-License-Identifier: MIT
# waits: ten seconds until a command gives up
# no-sanitize: address a library without the sanitizer cannot be preloaded
# no-sanitize: thread a library without the sanitizer cannot be preloaded
# A server hangs while it starts.  The command that has started it says so after a second, and
# gives up after ten.
. tests/cli/common

cat >"$TMPDIR/stop.c" <<END
#include <signal.h>
int inotify_init1(int flags)
{
	(void)flags;
	raise(SIGSTOP);
	return -1;
}
END
gcc -shared -fPIC -o "$TMPDIR/stop.so" "$TMPDIR/stop.c" || fail "the library"

LD_PRELOAD="$TMPDIR/stop.so" timeout 60 ulf ls >"$TMPDIR/out" 2>"$TMPDIR/err" &
command=$!
until_true grep -q "waiting for the server (pid [0-9]*, $ULF_DIR/server.sock)" "$TMPDIR/err"
is_gone "$command" && fail "it did not wait"
wait "$command"
expect "status" 1 $?
contains "$(cat "$TMPDIR/err")" "has shown no sign of life for 10 s: it is stopped"
server=$(server_pid)
contains "$(cat "$TMPDIR/err")" "kill -9 $server"
kill -9 "$server"
until_true is_gone "$server"
ulf ls >/dev/null || fail "the next one"
