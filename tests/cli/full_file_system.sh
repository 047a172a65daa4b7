#!/bin/sh
# SPDX-License-Identifier: MIT
# The file system of the roots is full: who wants more gets ENOSPC and nothing is
# changed, roots stay what they are, also for a new server, and no program dies of it.
# What needs no room is done, above all to switch something off.
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
# start PROGRAM ARGS: pid, root
start() {
	env LD_PRELOAD="$preload" "$@" >/dev/null &
	pid=$! root=${1##*/}.$!
	pids="$pids $pid"
	until_true is_listed "$root" alive
}
writes() { ulf echo "$2" "$root/$1" || fail "$1 $2"; }
# no_room FILE DATA: and the file is as it was
no_room() {
	before=$(ulf cat "$root/$1")
	text=$(ulf echo "$2" "$root/$1" 2>&1) && fail "$1: there was room for $2"
	contains "$text" "No space left on device"
	expect "$1" "$before" "$(ulf cat "$root/$1")"
	is_listed "$root" alive || fail "$1 $2: $(ulf ls)"
}
reads() { ulf cat "$root/$1" >/dev/null || fail "$1 cannot be read"; }
is() { expect "$1" "$2" "$(ulf cat "$root/$1")"; }
# sets FILE DATA TEXT: that is what it reads then
sets() { writes "$1" "$2"; is "$1" "$3"; }
# records: anything new?
records() {
	writes trace ""
	let_run 50
	ulf cat "$root/trace" | grep -q '^[^#]'
}
is_listed_at_all() { ulf ls | grep -q "^$1 "; }

# Settings, of a program that has never been told anything
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
records || fail "there is room again, and nothing is recorded"
is per_cpu/cpu1/buffer_size_kb 103
kill -9 "$pid"
until_true is_listed "$root" dead
ulf rm --dead >/dev/null

# Switched off; another object has come meanwhile, which the old list does not have.
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
records && fail "it is recorded still"
is enabled_functions ""
no_room current_tracer function
kill_server
is set_ftrace_filter leaf
is current_tracer nop
contains "$(ulf cat "$root/touched_functions")" leaf
records && fail "it is recorded again"
rm "$ULF_DIR/fill"
writes current_tracer function_graph
records || fail "there is room again, and nothing is recorded"
fill
sets current_tracer nop nop
records && fail "the graph is recorded still"
rm "$ULF_DIR/fill"
# A server that is killed before it has told the program
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

# Functions
start "$callee" "$ULF_BUILD/tests/tracefs-mod_callee.so"
writes current_tracer function
fill
no_room set_ftrace_filter leaf:traceoff:1
no_room set_ftrace_filter leaf:stacktrace
no_room events/ftrace/print/trigger traceoff:3
no_room set_ftrace_pid 1
no_room snapshot 1
no_room set_ftrace_filter nothing:mod:nosuch
# Room for a page: a command takes two.
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

# Events
start "$ULF_BUILD/examples/minikernel" --forks 0
writes events/sched/enable 1
fill
no_room events/sched/sched_switch/trigger traceoff:3
no_room events/sched/sched_switch/trigger enable_event:irq:irq_handler_entry
no_room events/sched/sched_switch/filter 'next_pid > 2'
rm "$ULF_DIR/fill"
writes events/sched/sched_switch/trigger traceoff:3
kill -9 "$pid"

# Nothing was switched on before, and the program ends by itself, when it may.
mkfifo "$TMPDIR/end"
start cat "$TMPDIR/end"
fill
no_room snapshot 1
# The program is told of this, and has no room to look at its buffers.
writes options/func-args 1
: >"$TMPDIR/end"
wait "$pid"
expect "status" 0 $?
is_listed_at_all "$root" && fail "it has never recorded, and is there still"
:
