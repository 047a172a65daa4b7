/* SPDX-License-Identifier: MIT */
/* Every stage after the first includes this file.  A TRACE_EVENT becomes a class and one
 * event of this class.  DECLARE_TRACE has no record and so expands to nothing.  Each stage
 * defines DECLARE_EVENT_CLASS, and the last stage also defines DEFINE_EVENT. */
#define TRACE_EVENT(name, proto, args, tstruct, assign, print)		\
	DECLARE_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),		\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)) \
	DEFINE_EVENT(name, name, PARAMS(proto), PARAMS(args))
#define TRACE_EVENT_CONDITION(name, proto, args, cond, tstruct, assign, print) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))
#define TRACE_EVENT_FN(name, proto, args, tstruct, assign, print, reg, unreg) \
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))
#define TRACE_EVENT_FN_COND(name, proto, args, cond, tstruct, assign, print, \
			    reg, unreg)					\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))
#define TRACE_EVENT_SYSCALL(name, proto, args, tstruct, assign, print,	\
			    reg, unreg)					\
	TRACE_EVENT(name, PARAMS(proto), PARAMS(args), PARAMS(tstruct),	\
		    PARAMS(assign), PARAMS(print))

#define DECLARE_EVENT_SYSCALL_CLASS DECLARE_EVENT_CLASS
#define DEFINE_EVENT_CONDITION(template, name, proto, args, cond)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_FN(template, name, proto, args, reg, unreg)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))
#define DEFINE_EVENT_WRITABLE(template, name, proto, args, size)	\
	DEFINE_EVENT(template, name, PARAMS(proto), PARAMS(args))

/* The class of a custom event gets the prefix custom_, because the tracepoint's own
 * event already has a class of this name. */
#define TRACE_CUSTOM_EVENT(name, proto, args, tstruct, assign, print)	\
	DECLARE_CUSTOM_EVENT_CLASS(name, PARAMS(proto), PARAMS(args),	\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print)) \
	DEFINE_CUSTOM_EVENT(name, name, PARAMS(proto), PARAMS(args))
#define DECLARE_CUSTOM_EVENT_CLASS(name, proto, args, tstruct, assign, print) \
	DECLARE_EVENT_CLASS(custom_##name, PARAMS(proto), PARAMS(args),	\
			    PARAMS(tstruct), PARAMS(assign), PARAMS(print))

#define DECLARE_TRACE(name, proto, args)			__ULF_END
#define DECLARE_TRACE_CONDITION(name, proto, args, cond)	__ULF_END
#define DECLARE_TRACE_WRITABLE(name, proto, args, size)		__ULF_END

#define TP_STRUCT__entry(args...) args
#define TP_fast_assign(args...) args
#define TP_printk(args...)

#include <trace/stages/empty.h>
