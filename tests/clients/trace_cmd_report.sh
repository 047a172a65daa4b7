#!/bin/sh
# SPDX-License-Identifier: MIT
# Each line that trace-cmd reports of the sample program's events and markers equals the line
# of `trace`.  System calls are left out: `trace` has the kernel's own lines of them, sys_open(...),
# and trace-cmd prints them by their print format, as it does for the kernel.
. tests/clients/common

needs trace-cmd trace-cmd
needs_namespace
start_minikernel
cd "$TMPDIR" || fail "cd"
ulf exec trace-cmd start -q -e all -O nohash-ptr 2>&1 || fail "start"
ulf echo 0 "$root/events/syscalls/enable" || fail "syscalls"
ulf echo '' "$root/trace" || fail "clear"
until_true has_lines "$root" 500
ulf echo "a marker" "$root/trace_marker"
ulf exec trace-cmd stop || fail "stop"
ulf cat "$root/trace" >ours
ulf exec trace-cmd extract -o trace.dat >log 2>&1 || fail "extract: $(cat log)"
trace-cmd report -N trace.dat >theirs 2>errors || fail "report: $(cat errors)"
expect "errors" "" "$(cat errors)"

# libtraceevent prints pointers, sizes of functions, 0 with %#x, and the masks of
# __print_flags() in another form, and says `print' for a marker.
plain_lines ours | sed 's/work struct 0000*\([1-9a-f][0-9a-f]*\)/work struct 0x\1/; s/=0000*\([1-9a-f][0-9a-f]*\)\>/=0x\1/g; s,\(+0x[0-9a-f]*\)/0x[0-9a-f]*,\1,g
	s/gso_type=0x0$/gso_type=0/; s/ flags=[^ ]*$/ flags=/
	s/ tracing_mark_write / print tracing_mark_write: /' >ours.plain
plain_lines theirs | sed 's/ flags=[^ ]*$/ flags=/' >theirs.plain
expect "lines of ours" "$(grep -vc '^#' ours)" "$(wc -l <ours.plain)"
diff ours.plain theirs.plain >differences || fail "$(head -n 20 differences)"
for event in sched_switch kmalloc timer_start irq_handler_entry print; do
	grep -q " $event " theirs.plain || fail "no $event in the report"
done
echo "score: $(wc -l <ours.plain) lines are the same"
