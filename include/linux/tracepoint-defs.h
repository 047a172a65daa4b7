/* SPDX-License-Identifier: MIT */
/*
 * Declares a tracepoint by its name, without the trace header that defines the
 * tracepoint.
 *
 * Headers with inline functions use this file.  Such a function tests whether the
 * tracepoint is on, and if so calls a function of a .c file.  <linux/tracepoint.h>
 * includes this file.
 *
 *	DECLARE_TRACEPOINT(foo);
 *	void __do_trace_foo(int value);
 *
 *	static inline void set(int value)
 *	{
 *		if (tracepoint_enabled(foo))
 *			__do_trace_foo(value);		which calls trace_foo()
 *	}
 */
#ifndef ULF_LINUX_TRACEPOINT_DEFS_H
#define ULF_LINUX_TRACEPOINT_DEFS_H

#include <ulf/event.h>
#include <ulf/module.h>

#ifdef __cplusplus
#define __ulf_bool		bool
#define __ULF_EXTERN_C_BEGIN	extern "C" {
#define __ULF_EXTERN_C_END	}
#define __ULF_EXTERN_C		extern "C"
#else
#define __ulf_bool		_Bool
#define __ULF_EXTERN_C_BEGIN
#define __ULF_EXTERN_C_END
#define __ULF_EXTERN_C		extern
#endif

/* The symbol of a tracepoint.  If no source file, or more than one, defines the tracepoint,
 * the linker's error message contains this symbol. */
#define __ULF_SYMBOL(name)						\
	"__tracepoint_" #name "_needs_CREATE_TRACE_POINTS"

/* Declare the tracepoint @name.  A source file may repeat the declaration. */
#define DECLARE_TRACEPOINT(name)					\
	__ULF_EXTERN_C struct tracepoint __tracepoint_##name		\
	__asm__(__ULF_SYMBOL(name))

/*
 * A static branch: a NOP, which libulf replaces by a jump to the label @on while the
 * tracepoint is on.  The asm adds a row (struct ulf_site) to the section __ulf_sites.
 * The row names the tracepoint's symbol in the text of the asm instead of as an
 * operand, because in position independent code the address of a tracepoint in
 * another shared object cannot be an immediate operand.
 */
#define __ULF_SITE(name, on)						\
	__asm__ goto ("661:\n\t"					\
		__ULF_ARCH_SITE "\n\t"				\
		".pushsection __ulf_sites, \"" __ULF_SECTION_FLAGS "\"\n\t" \
		".balign 8\n\t"						\
		"662: .long 661b - 662b, %l[" #on "] - 662b\n\t"	\
		".quad " __ULF_SYMBOL(name) "\n\t"			\
		".popsection"						\
		: : : : on)

/*
 * Returns true while the tracepoint @name has a probe.  While there is no probe, the test
 * costs one NOP.
 */
#define tracepoint_enabled(name)					\
	(__extension__ ({						\
		__label__ __ulf_tp_on, __ulf_tp_end;			\
		__ulf_bool __ulf_is_on = 0;				\
									\
		__ULF_SITE(name, __ulf_tp_on);				\
		goto __ulf_tp_end;					\
	__ulf_tp_on:							\
		__ulf_is_on = 1;					\
	__ulf_tp_end:							\
		__builtin_expect(__ulf_is_on, 0);			\
	}))

#endif
