/* SPDX-License-Identifier: MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM float

#if !defined(FLOAT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define FLOAT_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(float_sample,
	TP_PROTO(double load, float share),
	TP_ARGS(load, share),
	TP_STRUCT__entry(
		__field(double, load)
		__field(float, share)
		__array(double, pair, 2)
	),
	TP_fast_assign(
		__entry->load = load;
		__entry->share = share;
		__entry->pair[0] = load;
		__entry->pair[1] = -load;
	),
	TP_printk("load=%.2f share=%g pair=%.1f,%.1f", __entry->load, __entry->share,
		  __entry->pair[0], __entry->pair[1])
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE float_trace
#include <trace/define_trace.h>
