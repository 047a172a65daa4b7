/* SPDX-License-Identifier: MIT */
/* Custom events on tracepoints of kinds_trace.h. */
#if !defined(CUSTOM_TRACE_H) || defined(TRACE_CUSTOM_MULTI_READ)
#define CUSTOM_TRACE_H

#include <linux/trace_events.h>

TRACE_CUSTOM_EVENT(kind_plain, TP_PROTO(int value), TP_ARGS(value),
	TP_STRUCT__entry(
		__field(long, square)
	),
	TP_fast_assign(
		__entry->square = (long)value * value;
	),
	TP_printk("square=%ld", __entry->square)
)

DECLARE_CUSTOM_EVENT_CLASS(custom_class, TP_PROTO(int *value, int by),
	TP_ARGS(value, by),
	TP_STRUCT__entry(
		__field(int, by)
	),
	TP_fast_assign(
		__entry->by = by;
	),
	TP_printk("by=%d", __entry->by)
);
DEFINE_CUSTOM_EVENT(custom_class, kind_bare, TP_PROTO(int *value, int by),
	TP_ARGS(value, by));
DEFINE_CUSTOM_EVENT(custom_class, kind_bare_cond, TP_PROTO(int *value, int by),
	TP_ARGS(value, by));

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE custom_trace
#include <trace/define_custom_trace.h>
