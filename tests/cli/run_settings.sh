#!/bin/sh
# SPDX-License-Identifier: MIT
# Settings from the start, by options of ulf run and by ULF_TRACE, are in force at the first
# event.  Wrong settings are reported before the program starts, or in error_log.
. tests/cli/common

# run ARGS...: run a program with four events; $root is its root, $TMPDIR/trace its trace.
emit=$ULF_BUILD/tests/clients-emit
run() {
	ulf rm --dead
	printf "${input:-1\\n1\\n1\\n1\\n}" | ulf run -o "$TMPDIR/trace" "$@" -- "$emit" \
		>/dev/null 2>"$TMPDIR/err"
	root=$(ulf ls | awk 'NR > 1 { print $1 }')
	[ -n "$root" ] || fail "no root: $(cat "$TMPDIR/err")"
}
in_trace() { grep -q "$1" "$TMPDIR/trace" || fail "no $1: $(cat "$TMPDIR/trace")"; }

run -e emit --trace-buf-size=64K --trace-clock=counter --trace-options=record-tgid,nocontext-info
in_trace '^ *emit_number: thread=0 '
contains "$(ulf cat "$root/trace_clock")" "[counter]"
size=$(ulf cat "$root/buffer_size_kb")
[ "$size" -ge 64 ] && [ "$size" -le 72 ] || fail "64K are $size KB"
expect "options" record-tgid "$(ulf cat "$root/trace_options" | grep tgid)"
expect "error_log" "" "$(ulf cat "$root/error_log")"

# Settings of the environment come first.
export ULF_TRACE='trace_event=emit trace-clock=mono trace_options=raw'
run --trace-clock=boot
unset ULF_TRACE
contains "$(ulf cat "$root/trace_clock")" "[boot]"
expect "options" raw "$(ulf cat "$root/trace_options" | grep raw)"
in_trace '^[0-9]* [0-9]* [0-9]* type: '

run --trace-event='emit:*,!emit_number' --trace-instance=one,emit \
	--trace-instance=off^traceoff,emit
grep -q 'number=' "$TMPDIR/trace" && fail "emit_number is on: $(cat "$TMPDIR/trace")"
expect "instances" "off/ one/" "$(ulf ls "$root/instances" | sort | xargs)"
contains "$(ulf cat "$root/instances/one/trace")" "emit_number: thread=0 "
expect "set_event" emit:emit_number "$(ulf cat "$root/instances/off/set_event")"
expect "tracing_on" 0 "$(ulf cat "$root/instances/off/tracing_on")"
ulf cat "$root/instances/off/trace" | grep -q number= && fail "off has recorded"

run -e emit --alloc-snapshot
contains "$(ulf cat "$root/snapshot")" "Snapshot is allocated"
in_trace 'emit_number: thread=0 '

# Triggers, from options and from the environment, are in force before the first event.
run -e emit --trace-trigger='emit_number.traceoff if number == 2,nosuch.traceon'
in_trace 'emit_number: thread=0 '
expect "records" 4 "$(grep -c 'emit_number: ' "$TMPDIR/trace")"
contains "$(cat "$TMPDIR/err")" "no event matches \`nosuch\`"
export ULF_TRACE='trace_event=emit trace_trigger="emit_number.traceoff if number == 0"'
run
unset ULF_TRACE
expect "records" 1 "$(grep -c 'emit_number: ' "$TMPDIR/trace")"

# So are filters.  A string in a filter may have blanks.
input='4\n'
run -e emit --trace-filter='emit number > 1' --trace-filter='nosuch x == 1'
expect "numbers" "2 3" "$(sed -n 's/.*emit_number: .*number=\([0-9]*\).*/\1/p' "$TMPDIR/trace" | sort |
	xargs)"
contains "$(cat "$TMPDIR/err")" "no event matches \`nosuch\`"
for quote in \" \'; do
	run -e emit --trace-filter="emit comm != ${quote}a b$quote && number == 2"
	expect "numbers" "2" "$(sed -n 's/.*emit_number: .*number=\([0-9]*\).*/\1/p' \
		"$TMPDIR/trace")"
done
run -e emit --trace-filter='emit nosuch == 2'
contains "$(cat "$TMPDIR/err")" "nosuch == 2"
contains "$(cat "$TMPDIR/err")" "Field not found"
input=

# tp_printk prints events and keeps the records.
run --tp-printk -e emit
in_trace 'emit_number: thread=0 '
grep -q 'emit_number: thread=0 ' "$TMPDIR/err" || fail "no console: $(cat "$TMPDIR/err")"
text=$(ulf run --live --tp-printk -e emit -- touch "$TMPDIR/ran" 2>&1)
expect "--live and --tp-printk" 2 $?
text=$(ulf run --tp-printk -- touch "$TMPDIR/ran" 2>&1)
expect "--tp-printk without events" 2 $?

# Wrong settings are reported before the program starts.
for word in trace-clock=mon trace-options=raw,nonsense trace-buf-size=4x \
	trace-instance=a/b trace-event= trace-trigger=hello \
	trace-filter=hello; do
	text=$(ulf run --$word -- touch "$TMPDIR/ran" 2>&1)
	expect "status of --$word" 2 $?
	contains "$text" "${word#*=}: "
	contains "$text" "there is: "
done
text=$(ULF_TRACE='trace_evnt=x' ulf run -- touch "$TMPDIR/ran" 2>&1)
expect "status of a word that is none" 2 $?
contains "$text" "trace_evnt=x: No such setting"
contains "$text" "trace_event=EVENTS"
text=$(ulf run -e "$(printf '%01100d' 0)" -- touch "$TMPDIR/ran" 2>&1)
expect "status of too many words" 2 $?
[ ! -e "$TMPDIR/ran" ] || fail "the program was started all the same"
# Errors that only the server can find are reported afterwards.
run -e emit --trace-buf-size=9000G
contains "$(cat "$TMPDIR/err")" "boot: error: Cannot allocate memory"

# Without ulf run, a program waits at its start for a server that is running.
ULF_TRACE='trace_event=hello trace_clock=mono nonsense' "$hello" &
pids="$pids $!" root=hello.$!
has_recorded() { ulf cat "$root/trace" 2>/dev/null | grep -q hello_request; }
until_true has_recorded
contains "$(ulf cat "$root/trace")" "hello_request: count=0 "
contains "$(ulf cat "$root/trace_clock")" "[mono]"
contains "$(ulf cat "$root/error_log")" "boot: error: No such setting"
exit 0
