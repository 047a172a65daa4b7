#!/bin/sh
# SPDX-License-Identifier: MIT
# no-sanitize: address a library with the sanitizer cannot be loaded into a program without
# no-sanitize: thread a library with the sanitizer cannot be loaded into a program without
# Tracepoints are the first instructions of functions that no compiler has prepared.  Events are
# recorded, and the program ends as it would, while the function tracer uses these functions.
. tests/cli/common

cat >"$TMPDIR/entry_trace.h" <<'EOF'
#undef TRACE_SYSTEM
#define TRACE_SYSTEM entry
#if !defined(ENTRY_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ENTRY_TRACE_H
#include <linux/tracepoint.h>
TRACE_EVENT(entry_hit, TP_PROTO(int count), TP_ARGS(count),
	TP_STRUCT__entry(__field(int, count)),
	TP_fast_assign(__entry->count = count;), TP_printk("count=%d", __entry->count));
#endif
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE entry_trace
#include <trace/define_trace.h>
EOF
cat >"$TMPDIR/entry.c" <<'EOF'
#define CREATE_TRACE_POINTS
#include "entry_trace.h"
#define FUNCTION __attribute__((noinline)) void
FUNCTION at_first(int n) { trace_entry_hit(n); }
FUNCTION at_third(int n) { __asm__ volatile("add $5,%0" : "+r"(n)); trace_entry_hit(n); }
int main(void)
{
	for (int i = 0; i < 100; i++) {
		at_first(i);
		at_third(i);
	}
	return 7;
}
EOF
gcc -O2 -I"$TMPDIR" -Iinclude -o "$TMPDIR/entry" "$TMPDIR/entry.c" "$ULF_BUILD/libulf.so.0" \
	-Wl,-rpath,"$ULF_BUILD" || fail gcc
for tracer in function function_graph; do
	ulf run -o "$TMPDIR/trace" -e entry:entry_hit --ftrace=$tracer -- "$TMPDIR/entry" \
		2>"$TMPDIR/err"
	expect "$tracer: status" 7 $?
	expect "$tracer: events" 200 "$(grep -c 'entry_hit: count=' "$TMPDIR/trace")"
	root=$(sed -n 's/^ulf: \(entry\.[0-9]*\):.*/\1/p' "$TMPDIR/err")
	expect "$tracer: reason" 2 "$(ulf cat "$root/untraceable_functions" |
		grep -c '^at_.*a tracepoint is in its first bytes')"
done
