/* SPDX-License-Identifier: MIT */
/* The events of hist.c and hist_death.c. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM torture

#if !defined(HIST_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define HIST_TRACE_H

#include <linux/tracepoint.h>

/* `three` is always 3, and `mirror` is ~key: so tests can see whether figures and saved values
 * belong together. */
TRACE_EVENT(hist_hit,
	TP_PROTO(int who, unsigned long key, const char *text),
	TP_ARGS(who, key, text),
	TP_STRUCT__entry(
		__field(int, who)
		__field(unsigned int, three)
		__field(unsigned long, key)
		__field(unsigned long, mirror)
		__string(text, text)
	),
	TP_fast_assign(
		__entry->who = who;
		__entry->three = 3;
		__entry->key = key;
		__entry->mirror = ~key;
		__assign_str(text);
	),
	TP_printk("who=%d key=%lu text=%s", __entry->who, __entry->key, __get_str(text))
);

DECLARE_EVENT_CLASS(hist_other,
	TP_PROTO(int who, unsigned long key),
	TP_ARGS(who, key),
	TP_STRUCT__entry(
		__field(int, who)
		__field(unsigned long, key)
	),
	TP_fast_assign(
		__entry->who = who;
		__entry->key = key;
	),
	TP_printk("who=%d key=%lu", __entry->who, __entry->key)
);

/* Each hit of hist_end follows a hit of hist_hit with the same `who`, and its key is greater
 * by 7. */
DEFINE_EVENT(hist_other, hist_end, TP_PROTO(int who, unsigned long key), TP_ARGS(who, key));
/* Events whose triggers pause the histograms of hist_hit, and let them count. */
DEFINE_EVENT(hist_other, hist_off, TP_PROTO(int who, unsigned long key), TP_ARGS(who, key));
DEFINE_EVENT(hist_other, hist_on, TP_PROTO(int who, unsigned long key), TP_ARGS(who, key));

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE hist_trace
#include <trace/define_trace.h>
