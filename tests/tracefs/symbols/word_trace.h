/* SPDX-License-Identifier: MIT */
/* An event whose text is not in its records. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM word

#if !defined(WORD_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define WORD_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(word,
	TP_PROTO(const char *text),
	TP_ARGS(text),
	TP_STRUCT__entry(
		__field(const char *, text)
	),
	TP_fast_assign(
		__entry->text = text;
	),
	TP_printk("text=%s", __entry->text)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE word_trace
#include <trace/define_trace.h>
