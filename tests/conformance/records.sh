#!/bin/sh
# SPDX-License-Identifier: MIT
# Events of nine of the kernel's trace headers, unmodified, and the kernel's sample of custom
# events are in one program, which is built by gcc and by clang.  Compare the records, and the
# lines of `trace`, with what is expected.
#
# no-sanitize: address it builds a program of its own, without the sanitizer
# no-sanitize: thread it builds a program of its own, without the sanitizer
. tests/conformance/common

cat >"$TMPDIR/expected" <<'END'
sched_switch: prev_comm=previous prev_pid=11 prev_prio=120 prev_state=D ==> next_comm=0123456789abcde next_pid=12 next_prio=98
sched_switch: prev_prio=120 next_pid=12 next_prio=98
sched_switch: prev_comm=previous prev_pid=11 prev_prio=120 prev_state=R+ ==> next_comm=0123456789abcde next_pid=12 next_prio=98
sched_switch: prev_prio=120 next_pid=12 next_prio=98
sched_process_exec: filename=/bin/true pid=12 old_pid=7
signal_generate: sig=15 errno=0 code=128 comm=previous pid=11 grp=1 res=1
rcu_utilization: Start context switch
irq_handler_entry: irq=9 name=timer
irq_handler_exit: irq=9 ret=handled
softirq_raise: vec=9 [action=RCU]
module_load: demo OE
cpu_idle: state=4294967295 cpu_id=3
pm_qos_update_target: action=UPDATE_REQ prev_value=5 curr_value=-7
ext4_allocate_inode: dev 8,300 ino 1234567890123 dir 2 mode 0100644
9p_protocol_dump: clnt 0 P9_TVERSION(tag = 7)
13 00 ff 64

svc_xprt_no_write_space: server=127.0.0.1:2049 client=[::1]:700 flags=XPT_BUSY|XPT_DATA
END

make_empty_includes
for compiler in gcc clang; do
	# Functions that the program does not call are defined nowhere.
	$compiler $flags $stub_flags -I"$linux/samples/trace_events" -O0 \
		-no-pie -o "$TMPDIR/records" "$here/records.c" $libs \
		-Wl,--unresolved-symbols=ignore-all ||
		fail "$compiler cannot compile the headers"
	ulf run -o "$TMPDIR/trace" -e '*:*' -- "$TMPDIR/records" ||
		fail "$compiler: status $? of the program"
	sed -E '/^#/d; s,^ *records-[0-9]+ +\[[0-9]+\] \.{5} +[0-9.]+: ,,' \
		"$TMPDIR/trace" >"$TMPDIR/lines"
	diff -u "$TMPDIR/expected" "$TMPDIR/lines" ||
		fail "$compiler: the lines differ"
done
ulf stop
