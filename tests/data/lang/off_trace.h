/* SPDX-License-Identifier: MIT */
/* The event whose object code tests/lang/disassembly.c checks. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM off

#if !defined(OFF_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define OFF_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(off_hit,
	TP_PROTO(long value),
	TP_ARGS(value),
	TP_STRUCT__entry(
		__field(long, value)
	),
	TP_fast_assign(
		__entry->value = value;
	),
	TP_printk("value=%ld", __entry->value)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE off_trace
#include <trace/define_trace.h>
