/* SPDX-License-Identifier: MIT */
/* An event that each of the two libraries defines. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM twins

#if !defined(TWINS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define TWINS_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(twins_hit,
	TP_PROTO(int who),
	TP_ARGS(who),
	TP_STRUCT__entry(
		__field(int, who)
	),
	TP_fast_assign(
		__entry->who = who;
	),
	TP_printk("who=%d", __entry->who)
);

/* The two libraries have different events of this name. */
TRACE_EVENT(twins_differ,
	TP_PROTO(TWINS_TYPE who),
	TP_ARGS(who),
	TP_STRUCT__entry(
		__field(TWINS_TYPE, who)
	),
	TP_fast_assign(
		__entry->who = who;
	),
	TP_printk("who=%ld", (long)__entry->who)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE twins_trace
#include <trace/define_trace.h>
