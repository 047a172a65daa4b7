/* SPDX-License-Identifier: MIT */
/*
 * Tracepoints: what a trace header, and code that uses one, includes.
 *
 * TRACE_EVENT(foo, ...) declares here
 *	trace_foo(...)			hit it: one 5-byte NOP while it is off
 *	trace_foo_enabled()		is anybody listening?
 *	register_trace_foo(fn, data)	fn(data, ...) is called at each hit
 *	unregister_trace_foo(fn, data)
 * One .c file of the program defines CREATE_TRACE_POINTS before it includes
 * the trace header; <trace/define_trace.h> then makes the definitions.
 *
 * The words of the language are here and in trace/stages/.  Types that headers
 * of the kernel take for granted (u8, struct cpumask) are the program's to
 * bring: many have their own.
 */
#ifndef ULF_LINUX_TRACEPOINT_H
#define ULF_LINUX_TRACEPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>

#include <ulf/event.h>
#include <ulf/module.h>
#include <ulf/tracepoint.h>

struct trace_seq;		/* named by prototypes in trace headers */

#ifndef PARAMS
#define PARAMS(...) __VA_ARGS__
#endif
#define TP_PROTO(...) __VA_ARGS__
#define TP_ARGS(...) __VA_ARGS__
#define TP_CONDITION(...) __VA_ARGS__

/* For perf; to others they are the argument that they are around. */
#define __perf_count(count)	(count)
#define __perf_task(task)	(task)

#if !defined(__x86_64__)
#error "ulf: tracepoints are made for x86-64 only so far"
#endif

/*
 * The static branch.  The table row names the tracepoint by its symbol, as
 * PIC code could not pass the address of one in another shared object as an
 * immediate operand.
 */
#define __ULF_SITE(name)						\
	__asm__ goto ("661:\n\t"					\
		".byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n\t"		\
		".pushsection __ulf_sites, \"" __ULF_SECTION_FLAGS "\"\n\t" \
		".balign 8\n\t"						\
		"662: .long 661b - 662b, %l[__ulf_on] - 662b\n\t"	\
		".quad " __ULF_SYMBOL(name) "\n\t"			\
		".popsection"						\
		: : : : __ulf_on)

/*
 * The address of a tracepoint, by way of the GOT.  An ordinary reference from
 * a program to a tracepoint of a library would make the linker move the
 * tracepoint into the program; it is protected instead, so that two libraries
 * may have events of the same name and each uses its own.
 */
#define __ULF_TRACEPOINT(name)						\
	(__extension__ ({						\
		struct tracepoint *__ulf_tp;				\
									\
		__asm__ ("movq " __ULF_SYMBOL(name) "@GOTPCREL(%%rip), %0" \
			 : "=r"(__ulf_tp));				\
		__ulf_tp;						\
	}))

#define __ULF_PTR(function)	(__extension__ (void *)(function))

/* A function that is never called: its name is what the compiler says where
 * they do not match. */
#define __ULF_DECLARE_ARGS(name, proto)					\
	int TP_ARGS_must_match_TP_PROTO_of_##name(proto);
#define __ULF_CHECK_ARGS(name, args)					\
	((void)sizeof(TP_ARGS_must_match_TP_PROTO_of_##name(args)))

/* Likewise what the linker says where nobody makes the tracepoint, or two. */
#define __ULF_SYMBOL(name)						\
	"__tracepoint_" #name "_needs_CREATE_TRACE_POINTS"
#define __ULF_DECLARE_TRACE(name, proto, args, cond)			\
	__ULF_EXTERN_C_BEGIN						\
	extern struct tracepoint __tracepoint_##name			\
	__asm__(__ULF_SYMBOL(name));					\
	__ULF_EXTERN_C_END						\
	__ULF_DECLARE_ARGS(name, PARAMS(proto))				\
	static inline __attribute__((always_inline, unused)) __ulf_bool	\
	trace_##name##_enabled(void)					\
	{								\
		__ULF_SITE(name);					\
		return 0;						\
	__ulf_on:							\
		return 1;						\
	}								\
	static inline __attribute__((always_inline, unused)) void	\
	trace_##name(proto)						\
	{								\
		__ULF_CHECK_ARGS(name, PARAMS(args));			\
		if (__builtin_expect(trace_##name##_enabled(), 0)) {	\
			if (!(cond))					\
				return;					\
			/* mate: tracepoint.c [probe.publish] */	\
			((void (*)(void *, proto))__atomic_load_n(	\
				&__ULF_TRACEPOINT(name)->call,		\
				__ATOMIC_ACQUIRE))(NULL, args);		\
		}							\
	}								\
	static inline __attribute__((unused)) int			\
	register_trace_prio_##name(void (*probe)(void *__data, proto),	\
				   void *data, int prio)		\
	{								\
		return tracepoint_probe_register_prio(			\
			__ULF_TRACEPOINT(name), __ULF_PTR(probe), data,	\
			prio);						\
	}								\
	static inline __attribute__((unused)) int			\
	register_trace_##name(void (*probe)(void *__data, proto),	\
			      void *data)				\
	{								\
		return tracepoint_probe_register(			\
			__ULF_TRACEPOINT(name), __ULF_PTR(probe), data); \
	}								\
	static inline __attribute__((unused)) int			\
	unregister_trace_##name(void (*probe)(void *__data, proto),	\
				void *data)				\
	{								\
		return tracepoint_probe_unregister(			\
			__ULF_TRACEPOINT(name), __ULF_PTR(probe), data); \
	}								\
	static inline __attribute__((unused)) void			\
	check_trace_callback_type_##name(void (*probe)(void *__data, proto)) \
	{								\
		(void)probe;						\
	}

#ifdef __cplusplus
#define __ulf_bool		bool
#define __ULF_EXTERN_C_BEGIN	extern "C" {
#define __ULF_EXTERN_C_END	}
#define __ULF_EXTERN_C		extern "C"
#else
#define __ulf_bool		_Bool
#define __ULF_EXTERN_C_BEGIN
#define __ULF_EXTERN_C_END
#define __ULF_EXTERN_C
#endif

#define DEFINE_TRACE_FN(name, reg, unreg, proto, args)			\
	__ULF_EXTERN_C_BEGIN						\
	static void __traceiter_##name(void *__data, proto);		\
	ULF_PROTECTED struct tracepoint __tracepoint_##name		\
	__asm__(__ULF_SYMBOL(name)) __attribute__((used)) = {		\
		#name, NULL, reg, unreg, 0, 0,				\
		(void (*)(void))__traceiter_##name,			\
		(void (*)(void))__traceiter_##name, NULL,		\
	};								\
	static struct tracepoint *__tracepoint_ptr_##name		\
	__attribute__((used, section("__ulf_tracepoints"))) ULF_RETAIN = \
		&__tracepoint_##name;					\
	static __attribute__((noinline)) void				\
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
		/* mate: tracepoint.c [probe.publish] */		\
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

#define DEFINE_TRACE(name, proto, args)					\
	DEFINE_TRACE_FN(name, NULL, NULL, PARAMS(proto), PARAMS(args))

/* A string that %s may print by its address: the server looks it up in the
 * file of the program, as it can every string constant. */
#define tracepoint_string(str)	((const char *)(str))

/* In user space a tracepoint of a shared object is visible as it is. */
#define EXPORT_TRACEPOINT_SYMBOL(name)		struct tracepoint
#define EXPORT_TRACEPOINT_SYMBOL_GPL(name)	struct tracepoint

#endif /* ULF_LINUX_TRACEPOINT_H */

/*
 * The words of a trace header, in their declaring sense.  Outside the guard:
 * <trace/define_trace.h> gives them other meanings and takes them away.
 */
#ifndef TRACE_EVENT
#define __ULF_POINT(name, proto, args, cond, reg, unreg)		\
	__ULF_DECLARE_TRACE(name, PARAMS(proto), PARAMS(args), PARAMS(cond))
/* Nothing but a function that does nothing. */
#define DECLARE_EVENT_NOP(name, proto, args)				\
	__ULF_DECLARE_ARGS(name, PARAMS(proto))				\
	static inline __attribute__((unused)) void trace_##name(proto)	\
	{								\
		__ULF_CHECK_ARGS(name, PARAMS(args));			\
	}								\
	static inline __attribute__((unused)) __ulf_bool		\
	trace_##name##_enabled(void)					\
	{								\
		return 0;						\
	}
#include <trace/stages/points.h>
#endif
