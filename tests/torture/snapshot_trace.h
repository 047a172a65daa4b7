/* SPDX-License-Identifier: MIT */
/* The events of snapshot.c. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM snapshot

#if !defined(SNAPSHOT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define SNAPSHOT_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(snapshot_hit,
	TP_PROTO(int who, long number),
	TP_ARGS(who, number),
	TP_STRUCT__entry(
		__field(int, who)
		__field(long, number)
	),
	TP_fast_assign(
		__entry->who = who;
		__entry->number = number;
	),
	TP_printk("who=%d number=%ld", __entry->who, __entry->number)
);

/* The record is too long for the fast path. */
TRACE_EVENT(snapshot_long,
	TP_PROTO(int who, long number, const char *text),
	TP_ARGS(who, number, text),
	TP_STRUCT__entry(
		__field(int, who)
		__field(long, number)
		__array(char, filler, 120)
		__string(text, text)
	),
	TP_fast_assign(
		__entry->who = who;
		__entry->number = number;
		memset(__entry->filler, 'f', sizeof(__entry->filler));
		__assign_str(text);
	),
	TP_printk("who=%d number=%ld text=%s", __entry->who, __entry->number,
		  __get_str(text))
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE snapshot_trace
#include <trace/define_trace.h>
