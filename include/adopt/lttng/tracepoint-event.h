/* SPDX-License-Identifier: MIT */
/*
 * LTTng-UST's <lttng/tracepoint-event.h>, for ulf.  A provider header includes this file in
 * its last line.  It creates the events of the header in a source file that defines
 *	LTTNG_UST_TRACEPOINT_CREATE_PROBES, or
 *	LTTNG_UST_TRACEPOINT_DEFINE and LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE.
 *
 * With the last macro, LTTng-UST takes the probes from a library that the program can load
 * or not.  ulf cannot separate events from their tracepoints, so the program itself
 * contains both.
 *
 * LTTNG_UST_TRACEPOINT_DEFINE alone has no effect: the source file that creates the events
 * also creates their tracepoints.
 */
#if LTTNG_UST_COMPAT_API(0)
#if defined(TRACEPOINT_CREATE_PROBES) &&				\
	!defined(LTTNG_UST_TRACEPOINT_CREATE_PROBES)
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#endif
#if defined(TRACEPOINT_DEFINE) && !defined(LTTNG_UST_TRACEPOINT_DEFINE)
#define LTTNG_UST_TRACEPOINT_DEFINE
#endif
#if defined(TRACEPOINT_PROBE_DYNAMIC_LINKAGE) &&			\
	!defined(LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE)
#define LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE
#endif
#endif

#if !defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ) &&			\
	(defined(LTTNG_UST_TRACEPOINT_CREATE_PROBES) ||			\
	 (defined(LTTNG_UST_TRACEPOINT_DEFINE) &&			\
	  defined(LTTNG_UST_TRACEPOINT_PROBE_DYNAMIC_LINKAGE)))

/*
 * <trace/trace_events.h> includes the provider header several times.  These two macros switch
 * the header's include guard off for that time.  The last line of the provider header includes
 * this file again; the first macro makes that inclusion do nothing.  The types that the
 * header needs are defined outside of its include guard, or in headers with guards of their own.
 */
#define LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
#define TRACEPOINT_HEADER_MULTI_READ

#ifdef LTTNG_UST_TRACEPOINT_INCLUDE
#define __ULF_TRACE_HEADER	LTTNG_UST_TRACEPOINT_INCLUDE
#else
#define __ULF_TRACE_HEADER	TRACEPOINT_INCLUDE
#endif
#undef TRACE_SYSTEM
#ifdef LTTNG_UST_TRACEPOINT_PROVIDER
#define TRACE_SYSTEM		LTTNG_UST_TRACEPOINT_PROVIDER
#else
#define TRACE_SYSTEM		TRACEPOINT_PROVIDER
#endif

/* First make the rows of enumerations, because the probes refer to these
 * rows. */
#include <trace/stages/undef.h>
#include <trace/stages/events.h>
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	__ULF_END
#define DEFINE_EVENT_NAMED(template, id, system, name, proto, args)	__ULF_END
#undef __ULF_UST_ENUM
#define __ULF_UST_ENUM(id, values)					\
	static const struct ulf_ust_label id[]				\
	__attribute__((__unused__)) = {					\
		__ULF_UST_FIELDS_AS(ROWS, values) { NULL, 0, 0, 0 }	\
	};								\
	__ULF_UST_FIELDS_AS(LABELS, values)				\
	__ULF_END
#include __ULF_TRACE_HEADER
#undef __ULF_UST_ENUM
#define __ULF_UST_ENUM(id, values)	__ULF_END

#include <trace/trace_events.h>

#undef __ULF_TRACE_HEADER
#undef TRACEPOINT_HEADER_MULTI_READ
#undef LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
/* A provider header defines one of these two macros.  Undefine both, because the next provider
 * header may define the other one. */
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#undef TRACEPOINT_INCLUDE

#endif

struct tracepoint;		/* If the user omits the `;` after a macro, the
				 * macro's __extension__ (__ULF_END) needs a
				 * declaration after it. */
