/* SPDX-License-Identifier: MIT */
/*
 * Late events, which the agent records some time after they have happened (buffer/late.h).
 * No site of the program hits them.  Filters, triggers and histograms work as for other
 * events, except that nothing records the stack.
 */
#ifndef ULF_RUNTIME_EVENT_LATE_EVENT_H
#define ULF_RUNTIME_EVENT_LATE_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ulf/event.h>

struct late_source;

/* The value of ulf_event.probe in each late event.  No code calls this
 * function. */
void late_event_probe(void *data);
/* Returns true if @event is a late event. */
bool event_is_late(const struct ulf_event *event);
/*
 * Record @event by its plan.  @entry: see ulf_event_commit().
 * Called in the agent, with the runtime's lock held.
 */
void late_event_record(const struct ulf_event *event, const struct late_source *source,
		       void *entry, size_t bytes);
/* Count @nr records of @event as lost, in each buffer in which it is on.  Called in the agent,
 * with the runtime's lock held. */
void late_event_lost(const struct ulf_event *event, const struct late_source *source, uint64_t nr);

#endif
