/* SPDX-License-Identifier: MIT */
/* An event with an address in the function that hits it, and with that function's name. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM written

#if !defined(FUNCTION_WRITTEN_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define FUNCTION_WRITTEN_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(written_hit,
	TP_PROTO(void *ip, const char *name),
	TP_ARGS(ip, name),
	TP_STRUCT__entry(
		__field(void *, ip)
		__string(name, name)
	),
	TP_fast_assign(
		__entry->ip = ip;
		__assign_str(name, name);
	),
	TP_printk("in %s", __get_str(name))
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE function_written_trace
#include <trace/define_trace.h>
