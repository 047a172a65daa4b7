/* SPDX-License-Identifier: MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hostile

#if !defined(HOSTILE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define HOSTILE_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(hostile_number,
	TP_PROTO(long number),
	TP_ARGS(number),
	TP_STRUCT__entry(
		__field(long, number)
	),
	TP_fast_assign(
		__entry->number = number;
	),
	TP_printk("number=%ld", __entry->number)
);

TRACE_EVENT(hostile_text,
	TP_PROTO(long number, const char *text),
	TP_ARGS(number, text),
	TP_STRUCT__entry(
		__field(long, number)
		__string(text, text)
	),
	TP_fast_assign(
		__entry->number = number;
		__assign_str(text);
	),
	TP_printk("number=%ld text=%s", __entry->number, __get_str(text))
);

TRACE_EVENT(hostile_pointer,
	TP_PROTO(const char *text),
	TP_ARGS(text),
	TP_STRUCT__entry(
		__field(const char *, text)
	),
	TP_fast_assign(
		__entry->text = text;
	),
	TP_printk("text=%p", __entry->text)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE hostile_trace
#include <trace/define_trace.h>
