/* SPDX-License-Identifier: MIT */
/*
 * The last line of a header with TRACE_CUSTOM_EVENT()s, events of one's own
 * on tracepoints that others have made.  The file that defines
 * CREATE_CUSTOM_TRACE_EVENTS makes them, in the system `custom`, and hands each
 * its tracepoint by trace_custom_event_<name>_update().
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

struct tracepoint;		/* a declaration after the last __ULF_END */
