/* SPDX-License-Identifier: MIT */
/*
 * A header that contains TRACE_CUSTOM_EVENT() includes this file in its last line.  Such a
 * header adds events to tracepoints that other code defines.  In the source file that
 * defines CREATE_CUSTOM_TRACE_EVENTS, this file creates the events, in the system
 * `custom`. The program must connect each event to its tracepoint with
 * trace_custom_event_<name>_update().
 */
#ifdef CREATE_CUSTOM_TRACE_EVENTS

#undef CREATE_CUSTOM_TRACE_EVENTS
#define TRACE_CUSTOM_MULTI_READ

#undef TRACE_SYSTEM
#define TRACE_SYSTEM custom
#include <trace/trace_events.h>

#undef TRACE_CUSTOM_MULTI_READ
#define CREATE_CUSTOM_TRACE_EVENTS

#endif

struct tracepoint;		/* If the user omits the `;` after a macro, the
				 * macro's __extension__ (__ULF_END) needs a
				 * declaration after it. */
