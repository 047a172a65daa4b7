#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# A program that starts with events that libulf makes itself does not wait for its agent before the
# agent has started: such a wait ends only when its time is over.
. tests/cli/common
command -v strace >/dev/null || skip "no strace"
ulf server --background || fail "no server"
for setting in 'trace_event=ulf_sched:*' 'trace_event=ulf_libc:*' \
	'syscalls trace_trigger=raw_syscalls:sys_enter.hist:keys=id'; do
	rm -f "$TMPDIR/calls"
	strace -qq -o "$TMPDIR/calls" -e trace=futex,clone,clone3,utimensat \
		-E "LD_PRELOAD=$preload" -E "ULF_TRACE=$setting" /bin/true || fail "$setting: strace"
	grep -q '^utimensat' "$TMPDIR/calls" || fail "$setting: no question: $(cat "$TMPDIR/calls")"
	grep -q '^clone' "$TMPDIR/calls" || fail "$setting: no agent: $(cat "$TMPDIR/calls")"
	# Only waits for an agent last for a second, without a sign of the server.
	sed '/^clone/,$d' "$TMPDIR/calls" | grep 'FUTEX_WAIT.*tv_sec=1, tv_nsec=0' >"$TMPDIR/waits" &&
		fail "$setting: waits for no agent: $(cat "$TMPDIR/waits")"
done
exit 0
