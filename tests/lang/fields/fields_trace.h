/* SPDX-License-Identifier: MIT */
/* Every kind of field, every way to assign it, and every name that stays text in a format.
 * The name of the system is not an identifier, as in the kernel's sample. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM lang-fields
#undef TRACE_SYSTEM_VAR
#define TRACE_SYSTEM_VAR lang_fields

#if !defined(FIELDS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define FIELDS_TRACE_H

#include <linux/tracepoint.h>

#ifndef FIELDS_TYPES
#define FIELDS_TYPES
#include <stdarg.h>
#include <sys/socket.h>

struct point {
	int x, y;
};
struct line {
	struct point from, to;
};
enum { COLOR_RED = 3, COLOR_DARK_RED = -7, NAME_LEN = 12, x = 77 };
#define NR_BITS	70
#define THREE	3
#define type_of_number	unsigned short
const char *color_name(void *buf, int len, int color);	/* is defined nowhere */
#endif

TRACE_DEFINE_ENUM(COLOR_RED);
TRACE_DEFINE_ENUM(COLOR_DARK_RED);
TRACE_DEFINE_ENUM(NAME_LEN);
TRACE_DEFINE_ENUM(x);
TRACE_DEFINE_SIZEOF(int);
TRACE_DEFINE_SIZEOF(struct point);

TRACE_EVENT(field_plain,
	TP_PROTO(const struct point *at, const char *text),
	TP_ARGS(at, text),
	TP_STRUCT__entry(
		__field_struct(struct point, at)
		__field_ext(const char *, text, FILTER_PTR_STRING)
		__field_struct_ext(struct line, line, FILTER_OTHER)
		__field(type_of_number, number)
		__array(type_of_number, three, THREE)
		__array(char, name, NAME_LEN)
		__array(unsigned char, bytes, sizeof(struct point))
		__array(int, matrix, 2 * THREE)
		__array(int, line_sized, sizeof(struct line))
	),
	TP_fast_assign(
		__entry->at = *at;
		__entry->text = tracepoint_string("constant");
		__entry->line.from = *at;
		__entry->line.to = *at;
		__entry->number = 65535;
		memset(__entry->three, 1, sizeof(__entry->three));
		memcpy(__entry->name, text, NAME_LEN);
		memset(__entry->bytes, 2, sizeof(__entry->bytes));
		memset(__entry->matrix, 3, sizeof(__entry->matrix));
		memset(__entry->line_sized, 4, sizeof(__entry->line_sized));
	),
	TP_printk("%s x=%d line=%d %s", __entry->name, __entry->at.x,
		  __entry->line.to.y, __entry->text)
);

TRACE_EVENT(field_data,
	TP_PROTO(const char *text, int len, const unsigned long *bits,
		 const struct sockaddr *address, const char *fmt, va_list *va),
	TP_ARGS(text, len, bits, address, fmt, va),
	TP_STRUCT__entry(
		__dynamic_array(int, list, len)
		__string(text, text)
		__string(old, text)
		__string_len(some, text, len)
		__string_len(some_old, text, len)
		__string_len(some_new, text, len)
		__vstring(message, fmt, va)
		__bitmask(bits, NR_BITS)
		__cpumask(cpus)
		__sockaddr(address, sizeof(*address))
	),
	TP_fast_assign(
		memset(__get_dynamic_array(list), 5,
		       __get_dynamic_array_len(list));
		__assign_str(text);
		__assign_str(old, text);
		__assign_str_len(some, text, len);
		__assign_str(some_old, text);
		__assign_str(some_new);
		__assign_vstr(message, fmt, va);
		__assign_bitmask(bits, bits, NR_BITS);
		__assign_cpumask(cpus, bits);
		__assign_sockaddr(address, address, sizeof(*address));
		__get_bitmask(bits)[0] |= 1;
		__get_cpumask(cpus)[0] |= 2;
		__get_sockaddr(address)->sa_data[0] = 'd';
	),
	TP_printk("%s %s %s %s %s %s", __get_str(text), __get_str(some),
		  __get_str(message), __get_bitmask(bits), __get_cpumask(cpus),
		  __get_sockaddr(address))
);

TRACE_EVENT(field_rel,
	TP_PROTO(const char *text, int len, const unsigned long *bits,
		 const struct sockaddr *address, const char *fmt, va_list *va),
	TP_ARGS(text, len, bits, address, fmt, va),
	TP_STRUCT__entry(
		__rel_dynamic_array(int, list, len)
		__field(unsigned char, between)
		__rel_string(text, text)
		__rel_string(old, text)
		__rel_string_len(some, text, len)
		__rel_string_len(some_old, text, len)
		__rel_string_len(some_new, text, len)
		__rel_vstring(message, fmt, va)
		__rel_bitmask(bits, NR_BITS)
		__rel_cpumask(cpus)
		__rel_sockaddr(address, sizeof(*address))
	),
	TP_fast_assign(
		memset(__get_rel_dynamic_array(list), 5,
		       __get_rel_dynamic_array_len(list));
		__entry->between = 200;
		__assign_rel_str(text);
		__assign_rel_str(old, text);
		__assign_rel_str_len(some, text, len);
		__assign_rel_str(some_old, text);
		__assign_rel_str(some_new);
		__assign_rel_vstr(message, fmt, va);
		__assign_rel_bitmask(bits, bits, NR_BITS);
		__assign_rel_cpumask(cpus, bits);
		__assign_rel_sockaddr(address, address, sizeof(*address));
		__get_rel_str(text)[0] = __get_rel_str(text)[0];
		__get_rel_bitmask(bits)[0] |= 1;
		__get_rel_cpumask(cpus)[0] |= 2;
		__get_rel_sockaddr(address)->sa_data[0] = 'd';
	),
	TP_printk("%s %s %s %s %s %d", __get_rel_str(text),
		  __get_rel_bitmask(bits), __get_rel_cpumask(cpus),
		  __get_rel_sockaddr(address),
		  __print_hex(__get_rel_dynamic_array(list), 4),
		  __get_rel_dynamic_array_len(list))
);

/* TRACE_DEFINE_ENUM() and TRACE_DEFINE_SIZEOF() replace names by numbers only if a name
 * stands alone: not in literals, not as a member.  Some names are not replaced at all. */
TRACE_EVENT(field_print,
	TP_PROTO(int color, unsigned long long ns),
	TP_ARGS(__perf_task(color), __perf_count(ns)),
	TP_STRUCT__entry(
		__field(int, x)
		__field(int, color)
		__field(unsigned long long, ns)
		__field(unsigned long, flags)
		__array(unsigned char, raw, 4)
		__dynamic_array(short, list, 2)
	),
	TP_fast_assign(
		__entry->x = x;
		__entry->color = color;
		__entry->ns = ns;
		__entry->flags = 5;
		memset(__entry->raw, 0xab, 4);
		memset(__get_dynamic_array(list), 1, 4);
	),
	TP_printk("COLOR_RED \"x\" \\ %d %d %zu %zu\t%s\n", __entry->x, x,
		  sizeof(int), sizeof(struct line),
		  __print_symbolic(__entry->color,
				   { COLOR_RED, "COLOR_RED" },
				   { COLOR_DARK_RED, "x" },
				   { -COLOR_RED, "\"x" },
				   { NAME_LEN + sizeof(struct point), "x\\" }))
);
DEFINE_EVENT_PRINT(field_print, field_helpers,
	TP_PROTO(int color, unsigned long long ns),
	TP_ARGS(color, ns),
	TP_printk("%s %s %s %s %s %s %s %s %llu.%09llu",
		  __print_flags(__entry->flags, "|", { 1, "A" }, { 4, "C" }),
		  __print_flags_u64(__entry->flags, "|", { 1, "A" }),
		  __print_symbolic_u64(__entry->ns, { 1ULL, "one" }),
		  __print_hex(__entry->raw, 4), __print_hex_str(__entry->raw, 4),
		  __print_array(__get_dynamic_array(list), 2, 2),
		  __print_dynamic_array(list, 2),
		  __print_hex_dump("", 0, 16, 1, __entry->raw, 4, false),
		  __print_ns_to_secs(__entry->ns),
		  __print_ns_without_secs(__entry->ns))
);
DEFINE_EVENT_PRINT(field_print, field_scratch,
	TP_PROTO(int color, unsigned long long ns),
	TP_ARGS(color, ns),
	TP_printk("%s", color_name(__get_buf(16), 16, __entry->color))
);

/* Strings that compete for the space of a record. */
TRACE_EVENT(field_long,
	TP_PROTO(const char *a, const char *b, long some),
	TP_ARGS(a, b, some),
	TP_STRUCT__entry(
		__string(a, a)
		__string(b, b)
		__rel_string_len(c, b, some)
		__field(int, end)
	),
	TP_fast_assign(
		__assign_str(a, a);
		__assign_str(b);
		__assign_rel_str(c);
		__entry->end = 4711;
	),
	TP_printk("%s %s %s %d", __get_str(a), __get_str(b), __get_rel_str(c),
		  __entry->end)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE fields_trace
#include <trace/define_trace.h>
