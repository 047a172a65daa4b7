#!/bin/sh
# SPDX-License-Identifier: MIT
# timeout: 300
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# A signal handler that runs after each instruction of the hooks around a system call finds the
# callers of the call, and changes no register of the program.  Each call is recorded once.
. tests/cli/common
program=$ULF_BUILD/tests/cli-syscall_steps
ulf server --background

# steps_of MODE CALLS SETTING...: run the program, and store how often its handler has run.
steps_of() {
	mode=$1 calls=$2
	shift 2
	ulf run -o "$TMPDIR/trace" --syscalls --trace-buf-size=16M "$@" -- "$program" "$mode" \
		"$calls" >"$TMPDIR/out" 2>"$TMPDIR/err" || fail "$*: $(cat "$TMPDIR/err")"
	steps=$(cat "$TMPDIR/out")
	echo "$mode $*: $steps"
	! grep -q 'events were lost' "$TMPDIR/err" || fail "$*: $(cat "$TMPDIR/err")"
	ulf rm "$(ulf ls | sed -n 's/^\(cli-syscall_ste[^ ]*\).*/\1/p')"
}
# recorded PATTERN: number of lines of the trace.
recorded() { grep -c "$1" "$TMPDIR/trace"; }

# The program also calls getpid() once without steps.
enter='sys_enter: NR 39 (abcd, ' exit='sys_exit: NR 39 = [1-9]'

steps_of walk 2
[ "$steps" -lt 20 ] || fail "the hooks are there while the events are off"
# check_steps MODE SETTING...
check_steps() {
	mode=$1
	shift
	steps_of "$mode" 2 "$@" -e 'raw_syscalls:*'
	[ "$steps" -gt 500 ] || fail "the hooks were not stepped: $steps"
	expect "entries" 2 "$(recorded "$enter")"
	expect "returns" 3 "$(recorded "$exit")"
	[ "$(recorded 'sys_enter: NR 110')" -ge "$steps" ] || fail "the handler's calls"
}
check_steps walk
# Plans that need the vector registers.  Code of a histogram to which the kernel comes when it aborts
# a section has no unwind table.
check_steps walk '--trace-filter=raw_syscalls:* id == 39 || id == 110'
check_steps step --trace-trigger=raw_syscalls:sys_enter.hist:keys=id.syscall
steps_of walk 1 --trace-options=stacktrace -e raw_syscalls:sys_enter \
	'--trace-filter=raw_syscalls:sys_enter id == 39'
[ "$steps" -gt 2000 ] || fail "the unwinder was not stepped: $steps"
expect "entries" 1 "$(recorded "$enter")"

# Signals at any instruction, while records go straight to the ring.
steps_of timer 20000 -e 'raw_syscalls:*'
expect "entries" 20000 "$(recorded "$enter")"
expect "returns" 20001 "$(recorded "$exit")"

# ---- stacks ----

steps_of timer 20 --trace-options=stacktrace -e syscalls:sys_enter_getpid -e syscalls:sys_exit_getpid
awk '/ => /{ line = line $0 } /<stack trace>/{ print line; line = "" } END { print line }' \
	"$TMPDIR/trace" | grep -c '^ => steps_call => make_call => make_checked => main' >"$TMPDIR/nr"
expect "stacks" 40 "$(cat "$TMPDIR/nr")"
steps_of timer 20 --trace-trigger=syscalls:sys_exit_getpid.stacktrace -e syscalls:sys_exit_getpid
expect "stacks of the trigger" 20 "$(recorded '^ => steps_call$')"
ulf run -o "$TMPDIR/trace" --syscalls -e syscalls:sys_exit_getpid \
	--trace-trigger=syscalls:sys_exit_getpid.hist:keys=stacktrace -- "$program" timer 20 \
	>"$TMPDIR/out" 2>&1 || fail "$(cat "$TMPDIR/out")"
root=$(ulf ls | sed -n 's/^\(cli-syscall_ste[^ ]*\).*/\1/p')
ulf cat "$root/events/syscalls/sys_exit_getpid/hist" >"$TMPDIR/hist"
sed -n '/steps_call/,/main/p' "$TMPDIR/hist" | sed 's/+0x.*//; s/ //g' >"$TMPDIR/stack"
printf '%s\n' steps_call make_call make_checked main | cmp - "$TMPDIR/stack" ||
	fail "the key stacktrace: $(cat "$TMPDIR/hist")"
