/* SPDX-License-Identifier: MIT */
#if !defined(NEAR_CUSTOM_TRACE_H) || defined(TRACE_CUSTOM_MULTI_READ)
#define NEAR_CUSTOM_TRACE_H

#include <linux/trace_events.h>

TRACE_CUSTOM_EVENT(near_hit, TP_PROTO(int (*get)(void)), TP_ARGS(get),
	TP_STRUCT__entry(
		__field(int, value)
	),
	TP_fast_assign(
		__entry->value = get();
	),
	TP_printk("value=%d", __entry->value)
)

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE near_custom_trace
#include <trace/define_custom_trace.h>
