/* SPDX-License-Identifier: MIT */
/* Events that can be hit with impossible lengths. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM misuse

#if !defined(MISUSE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MISUSE_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(misuse_bytes,
	TP_PROTO(long nr),
	TP_ARGS(nr),
	TP_STRUCT__entry(
		__dynamic_array(char, list, nr)
	),
	TP_fast_assign(
		memset(__get_dynamic_array(list), 1,
		       __get_dynamic_array_len(list));
	),
	TP_printk("%d", __get_dynamic_array_len(list))
);

/* The number of bytes may overflow a long. */
TRACE_EVENT(misuse_longs,
	TP_PROTO(long nr),
	TP_ARGS(nr),
	TP_STRUCT__entry(
		__dynamic_array(long, list, nr)
	),
	TP_fast_assign(
		memset(__get_dynamic_array(list), 1,
		       __get_dynamic_array_len(list));
	),
	TP_printk("%d", __get_dynamic_array_len(list))
);

/* The sum of the lengths may be too large, or overflow. */
TRACE_EVENT(misuse_two,
	TP_PROTO(long nr, long nr_shorts),
	TP_ARGS(nr, nr_shorts),
	TP_STRUCT__entry(
		__dynamic_array(char, list, nr)
		__dynamic_array(short, shorts, nr_shorts)
		__string(end, "end")
	),
	TP_fast_assign(
		memset(__get_dynamic_array(list), 1,
		       __get_dynamic_array_len(list));
		memset(__get_dynamic_array(shorts), 1,
		       __get_dynamic_array_len(shorts));
		__assign_str(end);
	),
	TP_printk("%d %d %s", __get_dynamic_array_len(list),
		  __get_dynamic_array_len(shorts), __get_str(end))
);

TRACE_EVENT(misuse_string,
	TP_PROTO(const char *measured, const char *assigned),
	TP_ARGS(measured, assigned),
	TP_STRUCT__entry(
		__string(text, measured)
		__string(end, "end")
	),
	TP_fast_assign(
		__assign_str(text, assigned);
		__assign_str(end);
	),
	TP_printk("%s %s", __get_str(text), __get_str(end))
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE misuse_trace
#include <trace/define_trace.h>
