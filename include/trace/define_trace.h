/* SPDX-License-Identifier: MIT */
/* The last line of a trace header: makes its tracepoints and events in the
 * file that defines CREATE_TRACE_POINTS. */
#ifdef CREATE_TRACE_POINTS

/* The header may include others that end in this file too. */
#undef CREATE_TRACE_POINTS
#define TRACE_HEADER_MULTI_READ

#include <trace/trace_events.h>

#undef TRACE_HEADER_MULTI_READ
#define CREATE_TRACE_POINTS

#endif

struct tracepoint;		/* a declaration after the last __ULF_END */
