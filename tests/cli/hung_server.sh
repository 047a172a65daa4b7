#!/bin/sh
# SPDX-License-Identifier: MIT
# waits: ten seconds until commands give up
# A server that is stopped: each command says after a second what it waits for, and gives up
# after ten, with what to do about it.  A read of trace_pipe waits as long as nothing comes,
# and says nothing while the server is alive.  What a program wanted from its start is
# applied when the server goes on.
. tests/cli/common

start_hello
server=$(server_pid)
socket=$ULF_DIR/server.sock

# begin NAME COMMAND...: in the background, with its status in a file
begin() {
	name=$1
	shift
	(
		timeout 60 "$@" >"$TMPDIR/$name.out" 2>"$TMPDIR/$name.err"
		echo $? >"$TMPDIR/$name.status"
	) &
}
has_ended() { [ -s "$TMPDIR/$1.status" ]; }
says() { grep -q "$2" "$TMPDIR/$1.err"; }

begin pipe ulf cat "$root/trace_pipe"
let_server_run 4
says pipe . && fail "an idle server: $(cat "$TMPDIR/pipe.err")"
kill -0 $! || fail "trace_pipe has ended"

kill -STOP "$server"
begin ls ulf ls
begin echo ulf echo 1 "$root/tracing_on"
begin stop ulf stop
begin run ulf run -- true
commands="ls echo stop run"
for name in $commands; do
	until_true says "$name" "waiting for the server (pid $server, $socket)"
	has_ended "$name" && fail "$name did not wait"
done
ULF_TRACE="trace_event=hello:*" "$hello" &
late=hello.$! pids="$pids $!"
for name in $commands pipe; do
	until_true has_ended "$name"
	wanted=1
	[ "$name" != run ] || wanted=126	# the program was not started
	expect "$name" "$wanted" "$(cat "$TMPDIR/$name.status")"
	contains "$(cat "$TMPDIR/$name.err")" "has shown no sign of life for 10 s: it is stopped"
	contains "$(cat "$TMPDIR/$name.err")" "kill -CONT $server"
done

kill -CONT "$server"
has_records() { ulf cat "$late/trace" | grep -q hello_request; }
until_true has_records
expect "the server" "$server" "$(server_pid)"
