#!/bin/sh
# SPDX-License-Identifier: MIT
# The file system of the roots is full.  A write that needs space gets ENOSPC and changes nothing.
#  Roots keep their state, also for a new server, and no program dies.  Writes that need no space
# succeed, above all those that switch something off.
. tests/cli/common

unshare -Urm true 2>/dev/null || skip "no user namespaces here: unshare -Urm fails"
if [ "${1:-}" != inside ]; then
	unshare -Urm sh "$0" inside
	exit
fi
mkdir "$TMPDIR/small" && mount -t tmpfs -o size=64m,mode=700 none "$TMPDIR/small" || fail "mount"
export ULF_DIR="$TMPDIR/small"
callee=$ULF_BUILD/tests/tracefs-callee

fill() { dd if=/dev/zero of="$ULF_DIR/fill" bs=4k 2>/dev/null; }
# start PROGRAM ARGS: start PROGRAM, and set pid and root.
start() {
	env LD_PRELOAD="$preload" "$@" >/dev/null &
	pid=$! root=${1##*/}.$!
	pids="$pids $pid"
	until_true is_listed "$root" alive
}
writes() { ulf echo "$2" "$root/$1" || fail "$1 $2"; }
# no_room FILE DATA: the write gets ENOSPC and leaves the file as it was.
no_room() {
	before=$(ulf cat "$root/$1")
	text=$(ulf echo "$2" "$root/$1" 2>&1) && fail "$1: there was space for $2"
	contains "$text" "No space left on device"
	expect "$1" "$before" "$(ulf cat "$root/$1")"
	is_listed "$root" alive || fail "$1 $2: $(ulf ls)"
}
reads() { ulf cat "$root/$1" >/dev/null || fail "$1 cannot be read"; }
is() { expect "$1" "$2" "$(ulf cat "$root/$1")"; }
# sets FILE DATA TEXT: after the write of DATA the file contains TEXT.
sets() { writes "$1" "$2"; is "$1" "$3"; }
# records: true if the program records something new.
records() {
	writes trace ""
	let_run 50
	ulf cat "$root/trace" | grep -q '^[^#]'
}
has_event() { ulf cat "$root/events/$1/enable" >/dev/null 2>&1; }
is_listed_at_all() { ulf ls | grep -q "^$1 "; }

# Change settings of a program that never had any setting.
start "$callee"
fill
sets buffer_size_kb 100 103
sets per_cpu/cpu0/buffer_size_kb 200 203
sets buffer_subbuf_size_kb 8 8
writes trace_clock global
contains "$(ulf cat "$root/trace_clock")" '[global]'
sets options/stacktrace 1 1
sets options/func_stack_trace 1 1
sets options/func_stack_trace 0 0
no_room current_tracer function
rm "$ULF_DIR/fill"
writes current_tracer function
records || fail "there is space again, but nothing is recorded"
is per_cpu/cpu1/buffer_size_kb 103
kill -9 "$pid"
until_true is_listed "$root" dead
ulf rm --dead >/dev/null

# Switch tracing off after the program has loaded an object that the server's list of functions
# does not have.
start "$callee" "$ULF_BUILD/tests/tracefs-mod_callee.so"
writes set_ftrace_filter leaf
writes current_tracer function
records || fail "nothing is recorded"
fill
kill -USR1 "$pid"
until_true sh -c 'ulf cat "$1/available_filter_functions" | grep -q plugged' - "$root"
no_room current_tracer function_graph
no_room set_ftrace_filter middle
ulf cat "$root/touched_functions" | grep -q middle && fail "middle was never traced"
sets current_tracer nop nop
records && fail "calls are still recorded"
is enabled_functions ""
no_room current_tracer function
kill_server
is set_ftrace_filter leaf
is current_tracer nop
contains "$(ulf cat "$root/touched_functions")" leaf
records && fail "calls are recorded again"
rm "$ULF_DIR/fill"
writes current_tracer function_graph
records || fail "there is space again, but nothing is recorded"
fill
sets current_tracer nop nop
records && fail "the graph is still recorded"
rm "$ULF_DIR/fill"
# Kill a server before it has notified the program.
is_quiet() { ! records; }
writes current_tracer function_graph
records || fail "nothing is recorded"
fill
kill_server_at apply_start current_tracer nop || writes current_tracer nop
is current_tracer nop
until_true is_quiet
rm "$ULF_DIR/fill"
writes function_profile_enabled 1
writes stack_tracer_enabled 1
fill
sets function_profile_enabled 0 0
contains "$(ulf cat "$root/enabled_functions")" leaf
sets stack_tracer_enabled 0 0
is enabled_functions ""
before=$(ulf cat "$root/trace_stat/function0" "$root/trace_stat/function1")
let_run 50
expect "figures" "$before" "$(ulf cat "$root/trace_stat/function0" "$root/trace_stat/function1")"
rm "$ULF_DIR/fill"
kill -9 "$pid"
until_true is_listed "$root" dead
ulf rm --dead >/dev/null

# Settings of functions
start "$callee" "$ULF_BUILD/tests/tracefs-mod_callee.so"
writes current_tracer function
fill
no_room set_ftrace_filter leaf:traceoff:1
no_room set_ftrace_filter leaf:stacktrace
no_room events/ftrace/print/trigger traceoff:3
no_room set_ftrace_pid 1
no_room snapshot 1
no_room set_ftrace_filter nothing:mod:nosuch
# There is space for one page, but a command takes two.
truncate -s -4096 "$ULF_DIR/fill"
no_room set_ftrace_filter leaf:traceoff
reads saved_cmdlines
reads trace
is_listed "$root" alive || fail "read: $(ulf ls)"
kill_server
is_listed "$root" alive || fail "new server: $(ulf ls)"
expect "current_tracer" function "$(ulf cat "$root/current_tracer")"
rm "$ULF_DIR/fill"
writes set_ftrace_filter leaf:traceoff:1
contains "$(ulf cat "$root/set_ftrace_filter")" leaf:traceoff:count=
kill -9 "$pid"
until_true is_listed "$root" dead
ulf rm --dead >/dev/null

# Settings of events
start "$ULF_BUILD/examples/minikernel" --forks 0
# A root is listed before its program has registered its events.
until_true has_event sched
writes events/sched/enable 1
fill
no_room events/sched/sched_switch/trigger traceoff:3
no_room events/sched/sched_switch/trigger enable_event:irq:irq_handler_entry
no_room events/sched/sched_switch/filter 'next_pid > 2'
no_room events/sched/sched_switch/trigger hist:keys=next_pid
no_room events/ftrace/print/trigger hist:keys=ip
rm "$ULF_DIR/fill"
writes events/sched/sched_switch/trigger traceoff:3
writes events/sched/sched_switch/trigger '!traceoff'
writes tracing_on 1

# Histograms: a table that is too large for the file system, and one that cannot be replaced.
no_room events/sched/sched_switch/trigger hist:keys=next_comm,prev_comm:x=next_comm,y=prev_comm:size=131072
writes events/ftrace/print/trigger hist:keys=ip
writes trace_marker one
counted=$(ulf cat "$root/events/ftrace/print/hist")
contains "$counted" "Hits: 1"
fill
ulf echo -a hist:keys=ip:clear "$root/events/ftrace/print/trigger" 2>/dev/null && fail "clear"
is events/ftrace/print/hist "$counted"
no_room events/sched/sched_switch/trigger hist:keys=next_pid
kill_server
is events/ftrace/print/hist "$counted"
writes trace_marker two
contains "$(ulf cat "$root/events/ftrace/print/hist")" "Hits: 2"
ulf echo -a '!hist:keys=ip' "$root/events/ftrace/print/trigger" || fail "there is no space to remove"
rm "$ULF_DIR/fill"
kill -9 "$pid"

# Nothing was switched on before.  The program ends when it reads the end of the fifo.
mkfifo "$TMPDIR/end"
start cat "$TMPDIR/end"
fill
no_room snapshot 1
# The program is notified of this setting, but has no space to look at its buffers.
writes options/func-args 1
: >"$TMPDIR/end"
wait "$pid"
expect "status" 0 $?
is_listed_at_all "$root" && fail "it has never recorded, and is there still"
:
