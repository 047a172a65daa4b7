/* SPDX-License-Identifier: MIT */
/*
 * The built-in events of the kernel (events/ftrace), as far as ulf writes their records. No
 * TRACE_EVENT() describes these events.
 */
#ifndef EVENT_FTRACE_EVENT_H
#define EVENT_FTRACE_EVENT_H

#include <stddef.h>

#include "event/format.h"

extern const struct event_format ftrace_events[];
extern const size_t nr_ftrace_events;
#define FTRACE_PRINT	2		/* the row of ftrace:print in ftrace_events */

#endif
