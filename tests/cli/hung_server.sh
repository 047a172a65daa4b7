#!/bin/sh
# SPDX-License-Identifier: MIT
# waits: ten seconds until commands give up
# While the server is stopped, each command says after a second what it waits for.  After ten
# seconds it gives up, and says what to do.  A read of trace_pipe waits until something is
# recorded, and prints nothing while the server is alive.  A program's settings from the start are
# applied when the server continues.
. tests/cli/common

start_hello
server=$(server_pid)
socket=$ULF_DIR/server.sock

# begin NAME COMMAND...: run COMMAND in the background; its status is stored in a file.
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
