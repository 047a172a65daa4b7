/* SPDX-License-Identifier: MIT */
/* The event of writer.c. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM writer

#if !defined(WRITER_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define WRITER_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(writer_event,
	TP_PROTO(int thread, unsigned long number, const char *text),
	TP_ARGS(thread, number, text),
	TP_STRUCT__entry(
		__field(int, thread)
		__field(unsigned long, number)
		__field(unsigned long, check)
		__string(text, text)
	),
	TP_fast_assign(
		__entry->thread = thread;
		__entry->number = number;
		__entry->check = number ^ 0x5a5a5a5a5a5a5a5aul;
		__assign_str(text);
	),
	TP_printk("thread=%d number=%lu check=%lx text=%s", __entry->thread,
		  __entry->number, __entry->check ^ __entry->number,
		  __get_str(text))
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE writer_trace
#include <trace/define_trace.h>
