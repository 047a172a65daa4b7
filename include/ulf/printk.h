/* SPDX-License-Identifier: MIT */
/*
 * trace_printk() and its kin: the kernel's macros and functions.  A program
 * includes <ulf/tracing.h>.
 *
 *	trace_printk("%s is %d\n", name, value);
 *
 * records the arguments as they are; what they look like is worked out by
 * whoever reads `trace`.  Any context, signal handlers included; errno is kept.
 * The arguments are always evaluated.
 */
#ifndef ULF_PRINTK_H
#define ULF_PRINTK_H

#include <stdarg.h>
#include <string.h>

#include <ulf/event.h>
#include <ulf/module.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Its format was no constant: the text is made here and now.  @ip: where it is
 * said to come from.  What is returned is the length, 0 if nothing was recorded. */
ULF_EXPORT __attribute__((__format__(__printf__, 2, 3))) int
__trace_printk(unsigned long ip, const char *fmt, ...);
ULF_EXPORT __attribute__((__format__(__printf__, 2, 0))) int
__ftrace_vprintk(unsigned long ip, const char *fmt, va_list ap);
ULF_EXPORT __attribute__((__format__(__printf__, 2, 0))) int
trace_vprintk(unsigned long ip, const char *fmt, va_list ap);
/* @size bytes of text. */
ULF_EXPORT int __trace_puts(unsigned long ip, const char *str, int size);

/* The same with a format that the root knows; the macros' own. */
ULF_EXPORT int ulf_bprintk(const struct ulf_format *__format, ...);
ULF_EXPORT int ulf_vbprintk(const struct ulf_format *__format, va_list ap);
ULF_EXPORT int ulf_bputs(const struct ulf_format *__format);

ULF_NOTRACE
static inline __attribute__((__format__(__printf__, 1, 2), __unused__)) void
__trace_printk_check_format(const char *fmt, ...)
{
	(void)fmt;
}

ULF_NOTRACE
static inline __attribute__((__unused__)) int
__ulf_puts(unsigned long ip, const char *str)
{
	return __trace_puts(ip, str, (int)strlen(str));
}

#ifdef __cplusplus
}
#endif

#ifndef _THIS_IP_
#define _THIS_IP_	__ULF_THIS_IP
#endif

/* Is it a string literal?  clang decides only where it must, and without
 * optimization it compiles the branch that is not taken. */
#ifdef __clang__
#define __ULF_IS_LITERAL(fmt)						\
	(sizeof(char[1 + __builtin_constant_p(fmt)]) == 2)
#else
#define __ULF_IS_LITERAL(fmt)	__builtin_constant_p(fmt)
#endif

/*
 * The row of a literal.  In assembly, as compilers do not put static variables
 * of inline functions and of others into one section; for the section's flags
 * see __ULF_SITE().
 */
#define __ULF_FORMAT(fmt)						\
	(__extension__ ({						\
		struct ulf_format *__ulf_row;				\
									\
		__asm__ ("661: leaq 662f(%%rip), %0\n\t"		\
			".pushsection __ulf_formats, \""		\
			__ULF_SECTION_FLAGS "\"\n\t"			\
			".balign 8\n\t"					\
			"662: .quad %c1, 661b, 0\n\t"			\
			".popsection"					\
			: "=r"(__ulf_row) : "i"(fmt));			\
		__ulf_row;						\
	}))

/* With nothing behind the format it is a text, whatever is in it. */
#define trace_printk(fmt, ...)						\
	do {								\
		if (sizeof(#__VA_ARGS__) > 1)				\
			__ulf_do_printk(fmt, ##__VA_ARGS__);		\
		else							\
			trace_puts(fmt);				\
	} while (0)

#define __ulf_do_printk(fmt, ...)					\
	do {								\
		if (0)							\
			__trace_printk_check_format(fmt, ##__VA_ARGS__); \
		if (__ULF_IS_LITERAL(fmt))				\
			ulf_bprintk(__ULF_FORMAT(fmt), ##__VA_ARGS__);	\
		else							\
			__trace_printk(_THIS_IP_, fmt, ##__VA_ARGS__);	\
	} while (0)

#define trace_puts(str)							\
	(__ULF_IS_LITERAL(str) ? ulf_bputs(__ULF_FORMAT(str)) :		\
	 __ulf_puts(_THIS_IP_, str))

#define ftrace_vprintk(fmt, ap)						\
	do {								\
		if (__ULF_IS_LITERAL(fmt))				\
			ulf_vbprintk(__ULF_FORMAT(fmt), ap);		\
		else							\
			__ftrace_vprintk(_THIS_IP_, fmt, ap);		\
	} while (0)

#endif
