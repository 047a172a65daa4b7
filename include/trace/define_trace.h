/* SPDX-License-Identifier: MIT */
/* A trace header includes this file in its last line.  In the source file that defines
 * CREATE_TRACE_POINTS this file creates the tracepoints and events of the header. */
#ifdef CREATE_TRACE_POINTS

/* Undefine CREATE_TRACE_POINTS while the stages run, because the trace header may
 * include other headers that end with this file. */
#undef CREATE_TRACE_POINTS
#define TRACE_HEADER_MULTI_READ

#include <trace/trace_events.h>

#undef TRACE_HEADER_MULTI_READ
#define CREATE_TRACE_POINTS

#endif

struct tracepoint;		/* If the user omits the `;` after a macro, the
				 * macro's __extension__ (__ULF_END) needs a
				 * declaration after it. */
