/* SPDX-License-Identifier: MIT */
/* The events of switcher.c.  One of them has the name of an event of ulf_sched. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM sched

#if !defined(SWITCHER_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SWITCHER_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(switcher_mark,
	TP_PROTO(int number),
	TP_ARGS(number),
	TP_STRUCT__entry(
		__field(int, number)
	),
	TP_fast_assign(
		__entry->number = number;
	),
	TP_printk("number=%d", __entry->number)
);

TRACE_EVENT(sched_switch,
	TP_PROTO(int number),
	TP_ARGS(number),
	TP_STRUCT__entry(
		__field(int, number)
	),
	TP_fast_assign(
		__entry->number = number;
	),
	TP_printk("own=%d", __entry->number)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE switcher_trace
#include <trace/define_trace.h>
