/* SPDX-License-Identifier: MIT */
/* The event of mod_fn.c. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM fnmod

#if !defined(FNMOD_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define FNMOD_TRACE_H

#include <linux/tracepoint.h>

int fnmod_hit_reg(void);
void fnmod_hit_unreg(void);

TRACE_EVENT_FN(fnmod_hit,
	TP_PROTO(int who),
	TP_ARGS(who),
	TP_STRUCT__entry(
		__field(int, who)
	),
	TP_fast_assign(
		__entry->who = who;
	),
	TP_printk("who=%d", __entry->who),
	fnmod_hit_reg, fnmod_hit_unreg
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE fnmod_trace
#include <trace/define_trace.h>
