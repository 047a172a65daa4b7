/* SPDX-License-Identifier: MIT */
/* An event of the program itself, in the system of its modules. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mods

#if !defined(PROG_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PROG_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(mods_program,
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
#define TRACE_INCLUDE_FILE prog_trace
#include <trace/define_trace.h>
