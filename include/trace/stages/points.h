/* SPDX-License-Identifier: MIT */
/*
 * Reduce all event macros to __ULF_POINT.  Two files include this file, because they
 * process only the tracepoint of an event: <linux/tracepoint.h> declares the
 * tracepoint, and stage 1 defines it.  Each of the two defines __ULF_POINT in its own
 * way.  The parameter @size of the _WRITABLE macros is for BPF programs and is ignored
 * here.
 */
#define DECLARE_TRACE(name, proto, args)				\
	__ULF_POINT(name, PARAMS(proto), PARAMS(args), 1, NULL, NULL)
#define DECLARE_TRACE_CONDITION(name, proto, args, cond)		\
	__ULF_POINT(name, PARAMS(proto), PARAMS(args), PARAMS(cond), NULL, NULL)
#define DECLARE_TRACE_WRITABLE(name, proto, args, size)			\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))

#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print) \
	DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg) \
	__ULF_POINT(name, PARAMS(proto), PARAMS(args), 1, reg, unreg)
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, \
			    reg, unreg)					\
	__ULF_POINT(name, PARAMS(proto), PARAMS(args), PARAMS(cond), reg, unreg)
#define TRACE_EVENT_SYSCALL(name, proto, args, tstruct, assign, print,	\
			    reg, unreg)					\
	__ULF_POINT(name, PARAMS(proto), PARAMS(args), 1, reg, unreg)

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	__ULF_END
#define DECLARE_EVENT_SYSCALL_CLASS DECLARE_EVENT_CLASS
#define DEFINE_EVENT(template, name, proto, args)			\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)		\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_NAMED(template, id, system, name, proto, args)	\
	DECLARE_TRACE(id, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)	\
	DECLARE_TRACE_CONDITION(name, PARAMS(proto), PARAMS(args), PARAMS(cond))
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)	\
	__ULF_POINT(name, PARAMS(proto), PARAMS(args), 1, reg, unreg)
#define DEFINE_EVENT_WRITABLE(template, name, proto, args, size)	\
	DECLARE_TRACE(name, PARAMS(proto), PARAMS(args))

/* A custom event has no tracepoint of its own, so nothing is declared here. */
#define TRACE_CUSTOM_EVENT(name, proto, args, tstruct, assign, print)	\
	__ULF_END
#define DECLARE_CUSTOM_EVENT_CLASS(name, proto, args, tstruct, assign, print) \
	__ULF_END
#define DEFINE_CUSTOM_EVENT(template, name, proto, args)	__ULF_END

#include <trace/stages/empty.h>
