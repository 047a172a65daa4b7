/* SPDX-License-Identifier: MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hello

#if !defined(HELLO_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define HELLO_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(hello_request,
	TP_PROTO(int count, const char *who),
	TP_ARGS(count, who),
	TP_STRUCT__entry(
		__field(	int,	count	)
		__string(	who,	who	)
	),
	TP_fast_assign(
		__entry->count = count;
		__assign_str(who, who);
	),
	TP_printk("count=%d who=%s", __entry->count, __get_str(who))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE hello_trace
#include <trace/define_trace.h>
