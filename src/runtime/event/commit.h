/* SPDX-License-Identifier: MIT */
/*
 * Write the record of an event by its plan.  All functions of this file may be called in
 * any context.
 */
#ifndef ULF_RUNTIME_EVENT_COMMIT_H
#define ULF_RUNTIME_EVENT_COMMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ulf/event.h>

struct event_use;
struct filter_program;
struct trigger_hit;
struct buffer;
struct ulf_event;

#define EMIT_DEPTH_MAX	4u		/* maximum length of a chain of dynamic events
					 * in which a histogram of each event emits
					 * the next one; each event of the chain needs
					 * a kilobyte of the thread's stack */

/* Returns the plan of @event, or NULL if the event is off.  Must be called in a probe. */
static inline const struct event_use *event_plan(const struct ulf_event *event)
{
	/* acquire: the plan is complete; mate: plan.c [event.plan] */
	return __atomic_load_n((struct event_use *const *)&event->plan, __ATOMIC_ACQUIRE);
}

/* Returns true if the record passes @filter, or if @filter is NULL.  Must be called in a
 * probe. */
bool filter_keeps(const struct filter_program *filter, const void *entry,
		  size_t bytes);
/* The part of ulf_event_commit() that is in C: write a record by the event's plan.  The
 * function is aligned because that saves a tenth of the cost of a filter. */
void event_commit_slowly(const struct ulf_event *event, void *entry, size_t bytes)
	__attribute__((visibility("hidden"), aligned(64)));
/* Record a hit by the plan that begins with @use, and end the probe.  Must be called in
 * a probe. */
void event_deliver(const struct event_use *use, void *entry, size_t bytes);
/*
 * Record a dynamic event by its plan.
 * @cause: the hit that causes this event.  If the chain of causes is too long, the record is
 *	counted as lost.
 * @event: the dynamic event; if it is NULL, the process has no such event, and nothing happens.
 * @only: the only buffer in which the event is recorded, if it is on in this buffer; NULL: it
 *	is recorded in each buffer in which it is on.
 * @entry: see ulf_event_commit().  NULL: the record is too big, so it is counted as lost.
 * Must be called in a probe.
 */
void event_emit(const struct trigger_hit *cause, const struct ulf_event *event,
		const struct buffer *only, void *entry, size_t bytes);

#endif
