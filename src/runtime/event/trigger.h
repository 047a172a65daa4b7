/* SPDX-License-Identifier: MIT */
/* Triggers of events and functions, as the traced program runs them. */
#ifndef ULF_RUNTIME_EVENT_TRIGGER_H
#define ULF_RUNTIME_EVENT_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/buffer/buffer.h"

struct abi_trigger;
struct abi_triggers;
struct function_call;
struct ulf_event;

/* A hit of an event or of a function, as the commands of triggers see it. */
struct trigger_hit {
	const struct event_use *use;	/* how the buffer records the event; for a
					 * function only the member use->buffer is
					 * set */
	const void *entry;		/* the record; NULL: there is none */
	size_t bytes;			/* size of the record */
	const struct ulf_event *event;	/* the event that the program has hit: that of
					 * @use, or the event that has caused the
					 * dynamic event of @use; NULL for a function */
	const struct function_call *call;	/* the call of a function; NULL for an event */
	uint32_t depth;			/* depth of the chain of dynamic events: 0:
					 * the program has hit the event; 1: a
					 * histogram of such an event has emitted the
					 * event; and so on */
	uint32_t after;			/* what must be done after the record: a mask
					 * of commands, and TRIGGERS_SNAPSHOT */
};

#define TRIGGERS_SNAPSHOT	(1u << 31)	/* bit of trigger_hit.after: a
						 * snapshot must be taken */

/* Check that the triggers are safe to run.  @list: a private copy of @bytes bytes.
 * @nr_slots: number of valid rule words.  @record_bytes: size of the fixed part of a
 * record.  Returns 0 or -EINVAL. */
int triggers_verify(const struct abi_triggers *list, uint32_t bytes,
		    uint32_t nr_slots, uint32_t record_bytes);
/* Returns true if the command of @trigger has a histogram program as its data. */
bool trigger_has_hist(const struct abi_trigger *trigger);
/* Returns true if the triggers make their event conditional (see trigger.c). */
bool triggers_are_conditional(const struct abi_triggers *list);
/*
 * Run the triggers of a hit.  Call these in a probe; any context.
 *
 * triggers_before - run the triggers that come before the record.  hit->entry is only
 *	needed if triggers_are_conditional().  Sets hit->after.
 * triggers_after - do what must be done after the record (hit->after).  Must be called after
 *	the record was written or dropped.
 */
void triggers_before(struct trigger_hit *hit);
void triggers_after(struct trigger_hit *hit);
/* Run one trigger of an event or of a function.  Must be called in a probe; any context. */
void trigger_fire(struct trigger_hit *hit, const struct abi_trigger *trigger);
/* Returns true if the command and the rule words of @trigger, a private copy, are
 * valid. */
bool trigger_is_valid(const struct abi_trigger *trigger, uint32_t nr_slots);
#endif
