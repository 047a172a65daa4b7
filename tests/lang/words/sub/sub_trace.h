/* SPDX-License-Identifier: MIT */
/* A trace header that is found by TRACE_INCLUDE_PATH in the -I directories, and whose name
 * differs from the name of its system. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sub

#if !defined(SUB_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SUB_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(sub_hit,
	TP_PROTO(int value),
	TP_ARGS(value),
	TP_STRUCT__entry(
		__field(int, value)
	),
	TP_fast_assign(
		__entry->value = value;
	),
	TP_printk("value=%d", __entry->value)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH sub
#define TRACE_INCLUDE_FILE sub_trace
#include <trace/define_trace.h>
