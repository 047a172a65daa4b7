#!/bin/sh
# SPDX-License-Identifier: MIT
# If a program becomes a daemon, ulf run says that its root is alive, and how to go on.  The hint
# about lost events names what helps.
. tests/cli/common

err=$TMPDIR/err
# The shell ends when hello has its root and a record that the server shows.
ulf run -e hello -o "$TMPDIR/trace" -- sh -c '"$0" >/dev/null 2>&1 &
	echo $! >"$1"
	until ulf cat "hello.$!/trace" 2>/dev/null | grep -q hello_request; do sleep 0.02; done' \
	"$hello" "$TMPDIR/pid" 2>"$err"
expect "status" 0 $?
pid=$(cat "$TMPDIR/pid")
pids="$pids $pid" root=hello.$pid
contains "$(cat "$err")" "$root: sh has ended, but 1 of the root's processes is alive and goes on"
contains "$(cat "$err")" "ulf cat $root/trace_pipe"
! grep -q "nothing was recorded\|shows them again" "$err" || fail "$(cat "$err")"

# After fork() the parent ends; the child belongs to the root of the parent.
cat >"$TMPDIR/daemon.c" <<'END'
#include <unistd.h>
#define CREATE_TRACE_POINTS
#include "hello_trace.h"

int main(void)
{
	trace_hello_request(1, "parent");
	if (fork())
		return 3;
	for (int i = 0;; i++) {
		trace_hello_request(i, "child");
		usleep(1000);
	}
}
END
gcc -O1 -Iinclude -Iexamples/hello "$TMPDIR/daemon.c" "$ULF_BUILD/libulf.so.0" \
	-Wl,-rpath,"$ULF_BUILD" -o "$TMPDIR/daemon" || fail "gcc"
# end_daemon: kill the daemon, wait until $root is dead, and remove it.
end_daemon() {
	for child in $(grep -lsF "$TMPDIR/daemon" /proc/[0-9]*/cmdline | tr -dc '0-9\n'); do
		[ "$(readlink "/proc/$child/exe")" != "$TMPDIR/daemon" ] || kill -9 "$child"
	done
	until_true is_listed "$root" dead
	ulf rm --dead
}
for live in "" --live; do
	ulf run $live -e hello -o "$TMPDIR/trace" -- "$TMPDIR/daemon" 2>"$err"
	expect "status" 3 $?
	root=$(sed -n 's/^ulf: \(daemon[^:]*\): .*is alive.*/\1/p' "$err")
	[ -n "$root" ] || fail "it does not say that it is alive: $(cat "$err")"
	! grep -q "shows them again\|nothing was recorded" "$err" || fail "$(cat "$err")"
	grep -q who=parent "$TMPDIR/trace" || fail "$(cat "$TMPDIR/trace")"
	# The command that ulf run recommends works.
	ulf cat "$root/trace_pipe" | grep -q -m 1 who=child || fail "$root records nothing"
	ulf echo 0 "$root/tracing_on" || fail "tracing_on"
	end_daemon
done

# Without -e nothing is recorded, but the root is alive nevertheless.
ulf run -- "$TMPDIR/daemon" 2>"$err"
expect "status" 3 $?
root=$(sed -n 's/^ulf: \(daemon[^:]*\): .*is alive;.*/\1/p' "$err")
[ -n "$root" ] || fail "it does not say that it is alive: $(cat "$err")"
expect "lines: $(cat "$err")" 1 "$(wc -l <"$err")"
ulf echo 1 "$root/events/enable" || fail "enable"
ulf cat "$root/trace_pipe" | grep -q -m 1 who=child || fail "$root records nothing"
end_daemon

# If events were lost, ulf run recommends --live to users who did not give it.
lost() { ulf run "$@" -e hello --trace-buf-size=4K --trace-options=nooverwrite \
	-o "$TMPDIR/trace" -- timeout -s KILL 2 "$TMPDIR/flood" 2>"$err"; }
sed 's/usleep(1000);//; s/if (fork())/if (0)/; s/for (int i = 0;;/for (int i = 0; i < 300000;/' \
	"$TMPDIR/daemon.c" >"$TMPDIR/flood.c"
gcc -O1 -Iinclude -Iexamples/hello "$TMPDIR/flood.c" "$ULF_BUILD/libulf.so.0" \
	-Wl,-rpath,"$ULF_BUILD" -o "$TMPDIR/flood" || fail "gcc"
lost
grep -q 'events were lost, .*--trace-buf-size.*, or --live, helps' "$err" || fail "$(cat "$err")"
lost --live
grep -q 'events were lost' "$err" || fail "nothing was lost: $(cat "$err")"
grep -q -e --live "$err" && fail "$(cat "$err")"
exit 0
