/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints.  Trace headers, and code that uses them, include this file.
 *
 * TRACE_EVENT(foo, ...) declares here
 *	trace_foo(...)			hit the tracepoint; a 5-byte NOP while it is off
 *	trace_foo_enabled()		true while the tracepoint has a probe
 *	register_trace_foo(fn, data)	call fn(data, ...) at each hit
 *	unregister_trace_foo(fn, data)	see <ulf/tracepoint.h>
 * Exactly one .c file of the program defines CREATE_TRACE_POINTS before it includes the
 * trace header.  In that file <trace/define_trace.h> creates the definitions.
 *
 * The macros of the trace language are here and in trace/stages/.  Types that the
 * kernel's headers expect (u8, struct cpumask) must come from the program, because many
 * programs have their own.  <ulf/kernel.h> has the general ones.
 */
#ifndef ULF_LINUX_TRACEPOINT_H
#define ULF_LINUX_TRACEPOINT_H

#include <ulf/event.h>		/* This header must come first, because it reports
				 * unsupported compiler modes. */

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>

#include <linux/tracepoint-defs.h>
#include <ulf/module.h>
#include <ulf/tracepoint.h>

struct trace_seq;		/* declared because trace headers use this type in
				 * prototypes of functions */

#ifndef PARAMS
#define PARAMS(...) __VA_ARGS__
#endif
#define TP_PROTO(...) __VA_ARGS__
#define TP_ARGS(...) __VA_ARGS__
#define TP_CONDITION(...) __VA_ARGS__

/*
 * The end of every macro of the trace language that is used at file scope.  Users may write
 * a `;` after such a macro or omit it.  In C, with -Wpedantic, the compiler warns of a
 * single `;` at file scope, except after __extension__.  So in C the macro ends with
 * __extension__.  If the user omits the `;`, the __extension__ becomes a part of the
 * next declaration.  For this case <trace/define_trace.h> ends with a declaration.  C++
 * permits the extra `;`.
 */
#ifdef __cplusplus
#define __ULF_END
#else
#define __ULF_END	__extension__
#endif

/* Macros whose arguments the kernel passes to perf.  Here each macro is replaced by its
 * argument. */
#define __perf_count(count)	(count)
#define __perf_task(task)	(task)

/*
 * Load the address of a tracepoint from the GOT.  If a program referred to a tracepoint
 * of a library in the ordinary way, the linker would copy the tracepoint into the
 * program (copy relocation).  A copy does not work here, because the symbol is
 * protected.  Symbols are protected because two libraries may have events of the same
 * name, and each library must use its own.
 */
#define __ULF_TRACEPOINT(name)						\
	(__extension__ ({						\
		struct tracepoint *__ulf_tp;				\
									\
		__asm__ (__ULF_ARCH_LOAD_GOT(__ULF_SYMBOL(name))	\
			 : "=r"(__ulf_tp));				\
		__ulf_tp;						\
	}))

/* Convert a function pointer to void *, without a warning of -Wpedantic. */
#define __ULF_PTR(function)	(__extension__ (void *)(function))

/* Declare a function that is never called.  If TP_ARGS does not match TP_PROTO, the
 * compiler's error message contains the function's name. */
#define __ULF_DECLARE_ARGS(name, proto)					\
	int TP_ARGS_must_match_TP_PROTO_of_##name(proto);
#define __ULF_CHECK_ARGS(name, args)					\
	((void)sizeof(TP_ARGS_must_match_TP_PROTO_of_##name(args)))

/*
 * Declare the tracepoint @name, and the functions trace_@name() and so on.
 * @cond: an expression over the arguments; if it is false, a hit does nothing.
 */
#define __ULF_DECLARE_TRACE(name, proto, args, cond)			\
	DECLARE_TRACEPOINT(name);					\
	__ULF_DECLARE_ARGS(name, PARAMS(proto))				\
	ULF_NOTRACE							\
	static inline __attribute__((__always_inline__, __unused__)) __ulf_bool	\
	trace_##name##_enabled(void)					\
	{								\
		__ULF_SITE(name, __ulf_on);					\
		return 0;						\
	__ulf_on:							\
		return 1;						\
	}								\
	ULF_NOTRACE							\
	static inline __attribute__((__always_inline__, __unused__)) void	\
	trace_##name(proto)						\
	{								\
		__ULF_CHECK_ARGS(name, PARAMS(args));			\
		if (__builtin_expect(trace_##name##_enabled(), 0)) {	\
			if (!(cond))					\
				return;					\
			/* acquire: the probes were stored before `call`.  Mate: \
			 * tracepoint.c [probe.publish] */		\
			((void (*)(void *, proto))__atomic_load_n(	\
				&__ULF_TRACEPOINT(name)->call,		\
				__ATOMIC_ACQUIRE))(NULL, args);		\
		}							\
	}								\
	ULF_NOTRACE							\
	static inline __attribute__((__unused__)) int			\
	register_trace_prio_##name(void (*probe)(void *__data, proto),	\
				   void *data, int prio)		\
	{								\
		return tracepoint_probe_register_prio(			\
			__ULF_TRACEPOINT(name), __ULF_PTR(probe), data,	\
			prio);						\
	}								\
	ULF_NOTRACE							\
	static inline __attribute__((__unused__)) int			\
	register_trace_##name(void (*probe)(void *__data, proto),	\
			      void *data)				\
	{								\
		return tracepoint_probe_register(			\
			__ULF_TRACEPOINT(name), __ULF_PTR(probe), data); \
	}								\
	ULF_NOTRACE							\
	static inline __attribute__((__unused__)) int			\
	unregister_trace_##name(void (*probe)(void *__data, proto),	\
				void *data)				\
	{								\
		return tracepoint_probe_unregister(			\
			__ULF_TRACEPOINT(name), __ULF_PTR(probe), data); \
	}								\
	ULF_NOTRACE							\
	static inline __attribute__((__unused__)) void			\
	check_trace_callback_type_##name(void (*probe)(void *__data, proto)) \
	{								\
		(void)probe;						\
	}

/*
 * Define the tracepoint @name, and its iterator, the function that calls all
 * probes.
 * @reg: called before the first probe is added, or NULL.
 * @unreg: called after the last probe was removed, or NULL.
 */
#define DEFINE_TRACE_FN(name, reg, unreg, proto, args)			\
	__ULF_EXTERN_C_BEGIN						\
	ULF_NOTRACE							\
	static void __traceiter_##name(void *__data, proto);		\
	ULF_PROTECTED struct tracepoint __tracepoint_##name		\
	__asm__(__ULF_SYMBOL(name)) __attribute__((__used__)) = {		\
		#name, NULL, reg, unreg, 0, 0,				\
		(void (*)(void))__traceiter_##name,			\
		(void (*)(void))__traceiter_##name, NULL,		\
	};								\
	static struct tracepoint *__tracepoint_ptr_##name		\
	__attribute__((__used__, __section__("__ulf_tracepoints"))) ULF_RETAIN = \
		&__tracepoint_##name;					\
	ULF_NOTRACE							\
	static __attribute__((__noinline__)) void				\
	__traceiter_many_##name(struct tracepoint_func *__ulf_func, proto) \
	{								\
		for (; __ulf_func && __ulf_func->func; __ulf_func++)	\
			((void (*)(void *, proto))__ulf_func->func)(	\
				__ulf_func->data, args);		\
	}								\
	static void __traceiter_##name(void *__data, proto)		\
	{								\
		struct tracepoint_func *__ulf_func;			\
									\
		(void)__data;						\
		if (!ulf_probe_enter())					\
			return;						\
		/* acquire: the array of probes was filled before its	\
		 * address was stored.  Mate: tracepoint.c [probe.publish] */ \
		__ulf_func = __atomic_load_n(&__tracepoint_##name.funcs, \
					     __ATOMIC_ACQUIRE);		\
		if (__builtin_expect(__ulf_func && !__ulf_func[1].func, 1)) \
			((void (*)(void *, proto))__ulf_func->func)(	\
				__ulf_func->data, args);		\
		else							\
			__traceiter_many_##name(__ulf_func, args);	\
		ulf_probe_exit();					\
	}								\
	__ULF_EXTERN_C_END

/* Define a tracepoint that has probes, but no event. */
#define DEFINE_TRACE(name, proto, args)					\
	DEFINE_TRACE_FN(name, NULL, NULL, PARAMS(proto), PARAMS(args))	\
	__ULF_END

/*
 * Attribute of a variable `static const char *name` that never changes.  The file
 * printk_formats then lists the string with its address.  If a record contains the
 * address, tools that cannot read the program's file need this list to find the string.
 * ulf itself does not need the list: it finds every string constant in the program's
 * file.
 */
#define __tracepoint_string						\
	__attribute__((__used__, __section__("__ulf_strings"))) ULF_RETAIN

/* Return the address of the string constant @str, and list the string in printk_formats.
 * The row of the section __ulf_strings is written in assembly, for the reason given at
 * __ULF_FORMAT(). */
#define tracepoint_string(str)						\
	(__extension__ ({						\
		const char *__ulf_string;				\
									\
		__asm__ (__ULF_ARCH_LOAD("661f") "\n\t"		\
			".pushsection __ulf_strings, \""		\
			__ULF_SECTION_FLAGS "\"\n\t"			\
			".balign 8\n\t"					\
			"661: .quad %c1\n\t"				\
			".popsection"					\
			: "=r"(__ulf_string) : "i"(str));		\
		__ulf_string;						\
	}))

/* EXPORT_TRACEPOINT_SYMBOL() has no effect: the tracepoints of a shared object are always
 * visible to other objects. */
#define EXPORT_TRACEPOINT_SYMBOL(name)		struct tracepoint
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)	struct tracepoint

#endif /* ULF_LINUX_TRACEPOINT_H */

/* Define the macros of a trace header so that they declare tracepoints.  This part is
 * outside of the include guard, so that it can be included again: <trace/define_trace.h>
 * redefines these macros for its own use and undefines them at its end. */
#ifndef TRACE_EVENT
#define __ULF_POINT(name, proto, args, cond, reg, unreg)		\
	__ULF_DECLARE_TRACE(name, PARAMS(proto), PARAMS(args), PARAMS(cond)) \
	__ULF_END
/* Declare a trace_<name>() that does nothing and has no tracepoint. */
#define DECLARE_EVENT_NOP(name, proto, args)				\
	__ULF_DECLARE_ARGS(name, PARAMS(proto))				\
	ULF_NOTRACE							\
	static inline __attribute__((__unused__)) void trace_##name(proto)	\
	{								\
		__ULF_CHECK_ARGS(name, PARAMS(args));			\
	}								\
	ULF_NOTRACE							\
	static inline __attribute__((__unused__)) __ulf_bool		\
	trace_##name##_enabled(void)					\
	{								\
		return 0;						\
	}								\
	__ULF_END
#include <trace/stages/points.h>
#endif
