/* SPDX-License-Identifier: MIT */
/*
 * Two modules have mods_same and mods_differ; the type of mods_differ differs (MODS_TYPE).
 * Only the first module has mods_alone, in a system of its own.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM mods

#if !defined(MODS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MODS_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(mods_same,
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

TRACE_EVENT(mods_differ,
	TP_PROTO(int who),
	TP_ARGS(who),
	TP_STRUCT__entry(
		__field(MODS_TYPE, MODS_FIELD)
	),
	TP_fast_assign(
		__entry->MODS_FIELD = (MODS_TYPE)who;
	),
	TP_printk(MODS_TEXT "=%ld", (long)__entry->MODS_FIELD)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE mods_trace
#include <trace/define_trace.h>
