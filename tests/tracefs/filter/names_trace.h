/* SPDX-License-Identifier: MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM names

#if !defined(NAMES_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NAMES_TRACE_H

#include <linux/tracepoint.h>

#ifndef NAMES_H
#define NAMES_H
enum names_op { NAMES_GET = 3, NAMES_SET, NAMES_DEL, NAMES_LIST };
enum { NAMES_READ = 1, NAMES_WRITE = 4 };
#endif

TRACE_DEFINE_ENUM(NAMES_GET);
TRACE_DEFINE_ENUM(NAMES_SET);
TRACE_DEFINE_SIZEOF(int);

TRACE_EVENT(names_do,
	TP_PROTO(int op, int flags),
	TP_ARGS(op, flags),
	TP_STRUCT__entry(
		__field(int, op)
		__field(unsigned short, flags)
	),
	TP_fast_assign(
		__entry->op = op;
		__entry->flags = flags;
	),
	/* NAMES_DEL has no TRACE_DEFINE_ENUM(). */
	TP_printk("op=%s flags=%s",
		  __print_symbolic(__entry->op, { NAMES_GET, "get" }, { NAMES_SET, "set" },
				   { NAMES_DEL, "delete it" }),
		  __print_flags(__entry->flags, "|", { NAMES_READ, "R" }, { NAMES_WRITE, "W" }))
);

TRACE_EVENT(names_plain,
	TP_PROTO(int op),
	TP_ARGS(op),
	TP_STRUCT__entry(
		__field(enum names_op, op)
	),
	TP_fast_assign(
		__entry->op = op;
	),
	TP_printk("op=%d", __entry->op)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE names_trace
#include <trace/define_trace.h>
