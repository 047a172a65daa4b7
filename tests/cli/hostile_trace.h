/* SPDX-License-Identifier: MIT */
/* Events of terminal.sh, whose program sends control characters to the terminal. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM hostile

#if !defined(HOSTILE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define HOSTILE_TRACE_H

#include <string.h>

#include <linux/tracepoint.h>

#ifndef DUMP_PREFIX_OFFSET
#define DUMP_PREFIX_OFFSET	2	/* from the kernel's <linux/printk.h> */
#endif

TRACE_EVENT(hostile_text,
	TP_PROTO(const char *text),
	TP_ARGS(text),
	TP_STRUCT__entry(
		__string(text, text)
		__array(char, fixed, 64)
		__field(char, letter)
	),
	TP_fast_assign(
		__assign_str(text);
		strncpy(__entry->fixed, text, 63);
		__entry->letter = text[0];
	),
	TP_printk("dynamic %s fixed %s wide %-70s letter %c", __get_str(text),
		  __entry->fixed, __entry->fixed, __entry->letter)
);

TRACE_EVENT(hostile_dump,
	TP_PROTO(int n),
	TP_ARGS(n),
	TP_STRUCT__entry(__array(char, bytes, 20)),
	TP_fast_assign(memset(__entry->bytes, n, 20);),
	TP_printk("rows:%s", __print_hex_dump("row ", DUMP_PREFIX_OFFSET, 16, 1,
					      __entry->bytes, 20, false))
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE hostile_trace
#include <trace/define_trace.h>
