/* SPDX-License-Identifier: MIT */
/* Events that the server can print, and events that it cannot. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM check

#if !defined(CHECK_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CHECK_TRACE_H

#include <linux/tracepoint.h>

#ifndef CHECK_TRACE_TYPES
#define CHECK_TRACE_TYPES
enum check_color { CHECK_RED = 1, CHECK_GREEN };
struct check_point { int x, y, z; };
const char *check_name(int n);	/* is defined nowhere, because nothing calls it */
#endif

TRACE_EVENT(check_good,
	TP_PROTO(int n, const char *name),
	TP_ARGS(n, name),
	TP_STRUCT__entry(
		__field(int, n)
		__field(const char *, name)
	),
	TP_fast_assign(
		__entry->n = n;
		__entry->name = name;
	),
	TP_printk("n=%d name=%s", __entry->n, __entry->name)
);

TRACE_EVENT(check_enum,
	TP_PROTO(enum check_color color),
	TP_ARGS(color),
	TP_STRUCT__entry(__field(int, color)),
	TP_fast_assign(__entry->color = color;),
	TP_printk("a color of two, which have names in the program, not here: %s",
		  __entry->color == CHECK_RED ? "red" : "green")
);

TRACE_EVENT(check_table,
	TP_PROTO(enum check_color color),
	TP_ARGS(color),
	TP_STRUCT__entry(__field(int, color)),
	TP_fast_assign(__entry->color = color;),
	TP_printk("%s %s", __print_symbolic(__entry->color, { -1, "none" },
					    { CHECK_RED, "red" },
					    { CHECK_GREEN, "green" }),
		  __print_flags(__entry->color, "|",
				{ 1UL << CHECK_RED, "bit" },
				{ sizeof(struct check_point), "12" }))
);

TRACE_EVENT(check_function,
	TP_PROTO(int n),
	TP_ARGS(n),
	TP_STRUCT__entry(__field(int, n)),
	TP_fast_assign(__entry->n = n;),
	TP_printk("name=%s", check_name(__entry->n))
);

TRACE_EVENT(check_member,
	TP_PROTO(const struct check_point *point),
	TP_ARGS(point),
	TP_STRUCT__entry(__field_struct(struct check_point, point)),
	TP_fast_assign(__entry->point = *point;),
	TP_printk("x=%d", __entry->point.x)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE check_trace
#include <trace/define_trace.h>
