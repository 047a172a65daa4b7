/* SPDX-License-Identifier: MIT */
/* The event of emit.c. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM emit

#if !defined(EMIT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define EMIT_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(emit_number,
	TP_PROTO(int thread, unsigned long number, const char *word),
	TP_ARGS(thread, number, word),
	TP_STRUCT__entry(
		__field(int, thread)
		__field(unsigned long, number)
		__string(word, word)
	),
	TP_fast_assign(
		__entry->thread = thread;
		__entry->number = number;
		__assign_str(word);
	),
	TP_printk("thread=%d number=%lu word=%s", __entry->thread,
		  __entry->number, __get_str(word))
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE emit_trace
#include <trace/define_trace.h>
