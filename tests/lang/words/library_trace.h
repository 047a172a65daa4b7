/* SPDX-License-Identifier: MIT */
/* Events of a shared library, hit in it and in the program. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM library

#if !defined(LIBRARY_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define LIBRARY_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(library_hit,
	TP_PROTO(const char *who, int value),
	TP_ARGS(who, value),
	TP_STRUCT__entry(
		__string(who, who)
		__field(int, value)
	),
	TP_fast_assign(
		__assign_str(who);
		__entry->value = value;
	),
	TP_printk("who=%s value=%d", __get_str(who), __entry->value)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE library_trace
#include <trace/define_trace.h>
