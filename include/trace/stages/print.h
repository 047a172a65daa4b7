/* SPDX-License-Identifier: MIT */
/*
 * Stage 7: compile TP_printk as C code that never runs, because it is after a return.
 * Only its static variables remain in the object file.  This has two purposes.  The
 * compiler checks the format.  And the compiler computes the values in the tables (struct
 * ulf_table) of __print_flags and __print_symbolic, which the server cannot compute from
 * the text because they may be enums.  The label __ulf_never keeps compilers from
 * dropping the unreachable code before they have processed it.
 */
#include <trace/stages/classes.h>

#define __entry entry
#include <trace/stages/get.h>

#undef TP_printk
#define TP_printk(fmt, args...)	ulf_printk_check(fmt, ##args)

#define __print_flags(flags, delim, rows...)				\
	((void)(delim), __ULF_TABLE(flags, rows))
#define __print_symbolic(value, rows...) __ULF_TABLE(value, rows)
#define __print_flags_u64	__print_flags
#define __print_symbolic_u64	__print_symbolic
#define __print_hex(buf, len)	ulf_print_check(buf, len)
#define __print_hex_str(buf, len) ulf_print_check(buf, len)
#define __print_array(array, count, size)				\
	((void)(size), ulf_print_check(array, count))
#define __print_dynamic_array(item, size)				\
	((void)(size), ulf_print_check(__get_dynamic_array(item), 0))
#define __print_hex_dump(prefix, type, row, group, buf, len, ascii)	\
	((void)(prefix), (void)(type), (void)(row), (void)(group),	\
	 (void)(ascii), ulf_print_check(buf, len))
#define __print_ns_to_secs(ns)		((ns) / 1000000000ull)
#define __print_ns_without_secs(ns)	((unsigned int)((ns) % 1000000000ull))
#define __get_buf(len)		((void)(len), (void *)__entry)

/* In C++, make a table whose values are not constant a compiler error (constexpr).
 * Without constexpr such a table would be filled at run time, by code that never runs. */
#ifdef __cplusplus
#define __ulf_constexpr	constexpr
#else
#define __ulf_constexpr	const
#endif

/* Define a struct ulf_table with the rows { value, text } in @rows, and add its address
 * to the section __ulf_tables. */
#define __ULF_TABLE(value, rows...)					\
	(__extension__ ({						\
		static __ulf_constexpr struct ulf_symbol __ulf_symbols[] = \
			{ rows };					\
		static const struct ulf_table __ulf_table = {		\
			&__ulf_print, __COUNTER__,			\
			sizeof(__ulf_symbols) / sizeof(struct ulf_symbol), \
			__ulf_symbols,					\
		};							\
		static const struct ulf_table *__ulf_row		\
		__attribute__((__used__, __section__("__ulf_tables"))) ULF_RETAIN = \
			&__ulf_table;					\
									\
		(void)(value);						\
		(const char *)"";					\
	}))

/*
 * Define a function that contains TP_printk.  The function has variables named p and ret,
 * as in the kernel, because some trace headers use these names.
 */
#define __ULF_PRINT(name, class, print)					\
	ULF_NOTRACE							\
	static const void *trace_event_print_##name(void)		\
	{								\
		typedef struct trace_event_raw_##class __ulf_raw	\
			__attribute__((__unused__));			\
		static char __ulf_print = 0;				\
		struct trace_event_raw_##class *entry = NULL;		\
		struct trace_seq *p = NULL;				\
		int ret = 0;						\
									\
		(void)entry;						\
		(void)p;						\
		(void)ret;						\
		return &__ulf_print;					\
	__ulf_never: __attribute__((__unused__));				\
		print;							\
		return NULL;						\
	}								\
	__ULF_END
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	__ULF_PRINT(name, name, PARAMS(print))
#undef DEFINE_EVENT_PRINT
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)		\
	__ULF_PRINT(name, template, PARAMS(print))
