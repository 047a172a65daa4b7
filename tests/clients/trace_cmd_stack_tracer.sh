#!/bin/sh
# SPDX-License-Identifier: MIT
# trace-cmd stack controls the stack tracer of the program, through the file where the kernel
# has its own switch.  This file is not in tracefs.  The test puts a file of its own there, so
# that it does not depend on the kernel.
. tests/clients/common
. tests/tracefs/common
. tests/tracefs/stack_tracer/common

needs trace-cmd trace-cmd
needs_namespace
start_deep

# on_machine COMMAND: run COMMAND in a namespace where the file of the switch exists, and
# print its output, and the file's value if it is not 0.
on_machine() {
	unshare -Umc --keep-caps sh -c '
		mount -t tmpfs none /proc/sys/kernel || exit 1
		echo 0 >/proc/sys/kernel/stack_tracer_enabled
		echo 1 >/proc/sys/kernel/ftrace_enabled
		ulf exec "$0" -- "$@" || exit 1
		read -r own </proc/sys/kernel/stack_tracer_enabled
		[ "$own" = 0 ] || echo "the kernel itself: $own"' "$root" "$@" 2>&1
}

text=$(on_machine trace-cmd stack --start) || fail "start: $text"
reads stack_tracer_enabled 1
deep "use 100000"
text=$(on_machine trace-cmd stack) || fail "$text"
contains "$text" "(stack tracer running)"
contains "$text" " outer+0x"
expect "what it shows" "$(cat "$T/stack_trace")" "$(echo "$text" | grep -v running)"
text=$(on_machine trace-cmd stack --reset) || fail "reset: $text"
reads stack_max_size 0
text=$(on_machine trace-cmd stack --stop) || fail "stop: $text"
reads stack_tracer_enabled 0
