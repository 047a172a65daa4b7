/* SPDX-License-Identifier: MIT */
/* The event of mod_call.c. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM cm

#if !defined(CM_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CM_TRACE_H

#include <linux/tracepoint.h>

int cm_hit_reg(void);
void cm_hit_unreg(void);

TRACE_EVENT_FN(cm_hit,
	TP_PROTO(int who),
	TP_ARGS(who),
	TP_STRUCT__entry(
		__field(int, who)
	),
	TP_fast_assign(
		__entry->who = who;
	),
	TP_printk("who=%d", __entry->who),
	cm_hit_reg, cm_hit_unreg
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE cm_trace
#include <trace/define_trace.h>
