/* SPDX-License-Identifier: MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nc

#if !defined(NC_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NC_TRACE_H

#include <linux/tracepoint.h>

int nc_hit_reg(void);
void nc_hit_unreg(void);

DECLARE_EVENT_CLASS(nc_class,
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
DEFINE_EVENT_FN(nc_class, nc_hit, TP_PROTO(int who), TP_ARGS(who),
	nc_hit_reg, nc_hit_unreg);
DEFINE_EVENT(nc_class, nc_plain, TP_PROTO(int who), TP_ARGS(who));

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE nc_trace
#include <trace/define_trace.h>
