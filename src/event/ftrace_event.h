/* SPDX-License-Identifier: MIT */
/*
 * The kernel's built-in events (events/ftrace), for which there is no TRACE_EVENT().  The
 * table contains only the events whose records ulf writes.
 */
#ifndef EVENT_FTRACE_EVENT_H
#define EVENT_FTRACE_EVENT_H

#include <stddef.h>

#include "event/format.h"

extern const struct event_format ftrace_events[];
extern const size_t nr_ftrace_events;
#define FTRACE_PRINT	2		/* index of the row of ftrace:print in ftrace_events */

#endif
