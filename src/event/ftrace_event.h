/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own events, which no TRACE_EVENT describes: those of events/ftrace
 * whose records ulf writes.
 */
#ifndef EVENT_FTRACE_EVENT_H
#define EVENT_FTRACE_EVENT_H

#include <stddef.h>

#include "event/format.h"

extern const struct event_format ftrace_events[];
extern const size_t nr_ftrace_events;
#define FTRACE_PRINT	2		/* its row there */

#endif
