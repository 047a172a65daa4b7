/* SPDX-License-Identifier: MIT */
/* Events with functions that are called before the first and after the last probe. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM fn

#if !defined(FN_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define FN_TRACE_H

#include <linux/tracepoint.h>

int fn_hit_reg(void);
void fn_hit_unreg(void);
int fn_second_reg(void);
void fn_second_unreg(void);

TRACE_EVENT_FN(fn_hit,
	TP_PROTO(int who),
	TP_ARGS(who),
	TP_STRUCT__entry(
		__field(int, who)
	),
	TP_fast_assign(
		__entry->who = who;
	),
	TP_printk("who=%d", __entry->who),
	fn_hit_reg, fn_hit_unreg
);

TRACE_EVENT_FN(fn_second,
	TP_PROTO(int who),
	TP_ARGS(who),
	TP_STRUCT__entry(
		__field(int, who)
	),
	TP_fast_assign(
		__entry->who = who;
	),
	TP_printk("who=%d", __entry->who),
	fn_second_reg, fn_second_unreg
);

TRACE_EVENT(fn_plain,
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
#define TRACE_INCLUDE_FILE fn_trace
#include <trace/define_trace.h>
