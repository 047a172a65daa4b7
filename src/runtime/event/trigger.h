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

/* Check that the triggers are safe to run.  @list: a private copy of @bytes bytes.
 * @nr_slots: number of valid rule words.  @record_bytes: size of the fixed part of a
 * record.  Returns 0 or -EINVAL. */
int triggers_verify(const struct abi_triggers *list, uint32_t bytes,
		    uint32_t nr_slots, uint32_t record_bytes);
/* Returns true if the triggers make their event conditional (see trigger.c). */
bool triggers_are_conditional(const struct abi_triggers *list);
/*
 * Run the triggers of a hit.  Call these in a probe; any context.
 *
 * triggers_before - run the triggers that come before the record.  @entry is only needed
 *	if triggers_are_conditional().  Returns a mask of trigger commands for @after.
 * triggers_after - run the triggers whose commands are in @after.  Call it after the record
 *	was written or dropped.
 */
uint32_t triggers_before(const struct event_use *use, const void *entry,
			 size_t bytes);
void triggers_after(const struct event_use *use, uint32_t after);
/* Run one trigger of an event or of a function.  For a function use->event is NULL, and
 * @use must be part of a struct function_hit.  Must be called in a probe; any context. */
void trigger_fire(const struct event_use *use, const struct abi_trigger *trigger);
/* Returns true if the command and the rule words of @trigger are valid.  @trigger: a
 * private copy. */
bool trigger_is_valid(const struct abi_trigger *trigger, uint32_t nr_slots);
/* A call that runs the triggers of a function. */
struct function_hit {
	struct event_use use;		/* use.event is NULL */
	const struct function_call *call;
};

#endif
