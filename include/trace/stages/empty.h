/* SPDX-License-Identifier: MIT */
/* Defines macros of trace headers as nothing, for a stage that does not need them.  The
 * last two macros do nothing in any stage: they set access rights for perf, which exists
 * only in the kernel. */
#define DECLARE_EVENT_CLASS_NOP(name, proto, args, tstruct, assign, print) \
	__ULF_END
#ifndef DECLARE_EVENT_NOP
#define DECLARE_EVENT_NOP(name, proto, args)		__ULF_END
#endif
#define DEFINE_EVENT_NOP(template, name, proto, args)			\
	DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)	\
	DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))
#define TRACE_DEFINE_ENUM(name)				__ULF_END
#define TRACE_DEFINE_SIZEOF(type)			__ULF_END
#define TRACE_EVENT_FLAGS(name, flags)			__ULF_END
#define TRACE_EVENT_PERF_PERM(name, ...)		__ULF_END
