/* SPDX-License-Identifier: MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM reg

#if !defined(REG_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define REG_TRACE_H

#include <linux/tracepoint.h>

int reg_begin(void);
void reg_end(void);

TRACE_EVENT_FN(reg_loaded,
	TP_PROTO(int ms),
	TP_ARGS(ms),
	TP_STRUCT__entry(
		__field(int, ms)
	),
	TP_fast_assign(
		__entry->ms = ms;
	),
	TP_printk("ms=%d", __entry->ms),
	reg_begin, reg_end
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE reg_trace
#include <trace/define_trace.h>
