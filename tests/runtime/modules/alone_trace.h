/* SPDX-License-Identifier: MIT */
/* A system that belongs to one module only. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM alone

#if !defined(ALONE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ALONE_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(alone_hit,
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

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE alone_trace
#include <trace/define_trace.h>
