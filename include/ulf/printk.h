/* SPDX-License-Identifier: MIT */
/*
 * trace_printk() and related macros and functions, as in the kernel.  Programs include
 * <ulf/tracing.h>.
 *
 *	trace_printk("%s is %d\n", name, value);
 *
 * records the arguments in binary form.  They are formatted when `trace` is read.  Any
 * thread and any signal handler may call these; errno is kept.  The arguments are
 * evaluated even if recording is off.
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

/*
 * Format the text now and record it in the top buffer.  The macros call these functions if
 * the format is not a constant.
 * @ip: the address that the file `trace` shows as the caller.
 * Returns the length of the text, or 0 if nothing was recorded.
 */
ULF_EXPORT __attribute__((__format__(__printf__, 2, 3))) int
__trace_printk(unsigned long ip, const char *fmt, ...);
ULF_EXPORT __attribute__((__format__(__printf__, 2, 0))) int
__ftrace_vprintk(unsigned long ip, const char *fmt, va_list ap);
ULF_EXPORT __attribute__((__format__(__printf__, 2, 0))) int
trace_vprintk(unsigned long ip, const char *fmt, va_list ap);
/*
 * Record a text of @size bytes in the top buffer.  If the text does not end in a newline,
 * one is added.
 * Returns @size, or 0 if nothing was recorded.
 */
ULF_EXPORT int __trace_puts(unsigned long ip, const char *str, int size);

/*
 * Record a constant text, or the arguments for a constant format.  libulf registers the
 * format once.  trace_printk(), trace_puts() and ftrace_vprintk() call these functions.
 * Returns the number of bytes of the recorded arguments; 1 from ulf_bputs(); or 0 if
 * nothing was recorded.
 */
ULF_EXPORT int ulf_bprintk(const struct ulf_format *__format, ...);
ULF_EXPORT int ulf_vbprintk(const struct ulf_format *__format, va_list ap);
ULF_EXPORT int ulf_bputs(const struct ulf_format *__format);

/* Let the compiler check the arguments of trace_printk().  This function is never called. */
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

/*
 * A constant that is true if @fmt is a string literal.  The compiler must know this
 * before it compiles __ULF_FORMAT(), which accepts only a literal.  clang evaluates
 * __builtin_constant_p() early enough only where a constant is required, such as in the
 * size of an array.
 */
#ifdef __clang__
#define __ULF_IS_LITERAL(fmt)						\
	(sizeof(char[1 + __builtin_constant_p(fmt)]) == 2)
#else
#define __ULF_IS_LITERAL(fmt)	__builtin_constant_p(fmt)
#endif

/*
 * Define a row (struct ulf_format) for the string literal @fmt, and return the row's
 * address.  The row is written in assembly.  Compilers refuse to put a static variable
 * of an inline function into the same section as one of another function.
 */
#define __ULF_FORMAT(fmt)						\
	(__extension__ ({						\
		struct ulf_format *__ulf_row;				\
									\
		__asm__ ("661: " __ULF_ARCH_ADDRESS("662f") "\n\t"	\
			".pushsection __ulf_formats, \""		\
			__ULF_SECTION_FLAGS "\"\n\t"			\
			".balign 8\n\t"					\
			"662: .quad %c1, 661b, 0\n\t"			\
			".popsection"					\
			: "=r"(__ulf_row) : "i"(fmt));			\
		__ulf_row;						\
	}))

/* Record a formatted text.  If there are no arguments after @fmt, @fmt is recorded as plain
 * text, even if it contains a `%`. */
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

/*
 * Record the text @str.
 * Returns 0 if nothing was recorded.
 */
#define trace_puts(str)							\
	(__ULF_IS_LITERAL(str) ? ulf_bputs(__ULF_FORMAT(str)) :		\
	 __ulf_puts(_THIS_IP_, str))

/* Record a formatted text as trace_printk() does, with the arguments in a va_list. */
#define ftrace_vprintk(fmt, ap)						\
	do {								\
		if (__ULF_IS_LITERAL(fmt))				\
			ulf_vbprintk(__ULF_FORMAT(fmt), ap);		\
		else							\
			__ftrace_vprintk(_THIS_IP_, fmt, ap);		\
	} while (0)

#endif
