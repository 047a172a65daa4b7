/* SPDX-License-Identifier: MIT */
/* Words that mean nothing in this stage, or (the last two) outside of the
 * kernel: they are about the rights of perf. */
#define DECLARE_EVENT_CLASS_NOP(name, proto, args, tstruct, assign, print)
#ifndef DECLARE_EVENT_NOP
#define DECLARE_EVENT_NOP(name, proto, args)
#endif
#define DEFINE_EVENT_NOP(template, name, proto, args)			\
	DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_NOP(name, proto, args, tstruct, assign, print)	\
	DECLARE_EVENT_NOP(name, PARAMS(proto), PARAMS(args))
#define TRACE_DEFINE_ENUM(name)
#define TRACE_DEFINE_SIZEOF(type)
#define TRACE_EVENT_FLAGS(name, flags)
#define TRACE_EVENT_PERF_PERM(name, ...)
