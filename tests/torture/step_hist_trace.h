/* SPDX-License-Identifier: MIT */
/* The event of step_hist.c. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM torture

#if !defined(STEP_HIST_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define STEP_HIST_TRACE_H

#include <linux/tracepoint.h>

/* The name is a letter for each key. */
TRACE_EVENT(hist_step,
	TP_PROTO(unsigned long key, unsigned long value),
	TP_ARGS(key, value),
	TP_STRUCT__entry(
		__field(unsigned long, key)
		__field(unsigned long, value)
		__array(char, name, 16)
	),
	TP_fast_assign(
		__entry->key = key;
		__entry->value = value;
		memset(__entry->name, (int)('a' + key), 15);
		__entry->name[15] = '\0';
	),
	TP_printk("key=%lu value=%lx name=%s", __entry->key, __entry->value, __entry->name)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE step_hist_trace
#include <trace/define_trace.h>
