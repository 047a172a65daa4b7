/* SPDX-License-Identifier: MIT */
/* A trace header that <trace/define_trace.h> finds by TRACE_INCLUDE_PATH, as it finds the
 * kernel's headers outside of include/. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rel

#if !defined(REL_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define REL_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(rel_hit,
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
#define TRACE_INCLUDE_PATH ../../tests/lang/words/rel
#include <trace/define_trace.h>
