/* SPDX-License-Identifier: MIT */
/*
 * Triggers: actions of an event besides its recording.  They run in the thread that hits
 * the event, also in signal handlers: they take no lock and allocate nothing.
 *
 *	word (abi_buffer.slots)	writer
 *	a counter		processes: count down by one, not below 0;
 *				the server: set it before it is in use
 *	a soft word		processes: enable_event, disable_event;
 *				the server: a write to `enable`
 *
 * As in the kernel an event is conditional if one of its triggers has a filter or is
 * traceoff or stacktrace.  The triggers of a conditional event see the record.  Whether
 * the record is written is decided before a trigger can switch tracing on.  A snapshot
 * that a trigger takes includes the record.
 *
 * The triggers of other events run before the record is written.  All triggers run also
 * while tracing is off and while the event is soft disabled.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/rules.h"
#include "base/container.h"
#include "event/command.h"
#include "filter/run.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/switch.h"
#include "runtime/event/commit.h"
#include "runtime/event/trigger.h"
#include "runtime/unwind/stack.h"
#include <ulf/tracing.h>

#define TRIGGERS_MAX	4096u		/* greatest number of triggers of one event;
					 * each hit runs all of them */

/* A command of a trigger.  Its methods run in a probe, also in signal handlers. */
struct command {
	/* Optional method: returns true if the command would change anything.  NULL:
	 * the command always changes something. */
	bool (*is_due)(const struct event_use *use,
		       const struct abi_trigger *trigger);
	/* Method that runs the command.  Returns false if another thread has just made the
	 * same change. */
	bool (*act)(const struct event_use *use,
		    const struct abi_trigger *trigger);
	bool is_conditional;		/* true: the command makes its event conditional */
	bool is_after;			/* true: for a conditional event the command runs
					 * after the record is written */
	bool has_target;		/* true: the command needs abi_trigger.target */
};

/* Returns the rule word with the number @number of the buffer, or NULL if @number is 0. */
static uint64_t *slot(const struct event_use *use, uint32_t number)
{
	return number ? &use->buffer->shared->slots[number - 1] : NULL;
}

/* ---- the commands traceon and traceoff ---- */

static bool is_off(const struct event_use *use, const struct abi_trigger *trigger)
{
	(void)trigger;
	return !buffer_is_recording(use->buffer);
}

static bool is_on(const struct event_use *use, const struct abi_trigger *trigger)
{
	return !is_off(use, trigger);
}

static bool trace_on(const struct event_use *use,
		     const struct abi_trigger *trigger)
{
	(void)trigger;
	return buffer_set_recording(use->buffer, true);
}

static bool trace_off(const struct event_use *use,
		      const struct abi_trigger *trigger)
{
	(void)trigger;
	return buffer_set_recording(use->buffer, false);
}

/* ---- the commands enable_event and disable_event ---- */

static bool is_disabled(const struct event_use *use,
			const struct abi_trigger *trigger)
{
	return __atomic_load_n(slot(use, trigger->target), __ATOMIC_RELAXED);
}

static bool is_enabled(const struct event_use *use,
		       const struct abi_trigger *trigger)
{
	return !is_disabled(use, trigger);
}

static bool enable(const struct event_use *use, const struct abi_trigger *trigger)
{
	return __atomic_exchange_n(slot(use, trigger->target), 0,
				   __ATOMIC_RELAXED);
}

static bool disable(const struct event_use *use, const struct abi_trigger *trigger)
{
	return !__atomic_exchange_n(slot(use, trigger->target), 1,
				    __ATOMIC_RELAXED);
}

/* ---- the command snapshot ---- */

static bool snapshot(const struct event_use *use,
		     const struct abi_trigger *trigger)
{
	(void)trigger;
	buffer_snapshot(use->buffer);
	return true;
}

/* ---- the command stacktrace ---- */

static bool stack(const struct event_use *use, const struct abi_trigger *trigger)
{
	const struct function_hit *hit =
		container_of(use, struct function_hit, use);

	(void)trigger;
	if (use->event)
		stack_record(use->buffer, use->event);
	else
		stack_record_function(use->buffer, hit->call);
	return true;
}

/* ---- the commands dump and cpudump ---- */

static bool dump_all(const struct event_use *use, const struct abi_trigger *trigger)
{
	(void)use;
	(void)trigger;
	ftrace_dump(DUMP_ALL);
	return true;
}

static bool dump_cpu(const struct event_use *use, const struct abi_trigger *trigger)
{
	(void)use;
	(void)trigger;
	ftrace_dump(DUMP_ORIG);
	return true;
}

static const struct command commands[NR_COMMANDS] = {
#define ROW(id, number, name, kind, scope, flags, help, need, mark, is_due_, act_) \
	[number] = {							\
		.is_due = is_due_, .act = act_,				\
		.is_conditional = (flags) & CMD_CONDITIONAL,		\
		.is_after = (flags) & CMD_AFTER,			\
		.has_target = (flags) & CMD_TARGET,			\
	},
	COMMANDS(ROW)
#undef ROW
};

static_assert(NR_COMMANDS <= 31, "a bit each");

/* ---- run the triggers of an event ---- */

/* Count *@counter down.  Returns false if the counter is 0. */
static bool take(uint64_t *counter)
{
	uint64_t left = __atomic_load_n(counter, __ATOMIC_RELAXED);

	while (left && !__atomic_compare_exchange_n(counter, &left, left - 1,
						    true, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED))
		;
	return left;
}

/* Run a trigger.  Its counter goes down only if the command changes something. */
void trigger_fire(const struct event_use *use, const struct abi_trigger *trigger)
{
	const struct command *command = &commands[trigger->command];
	uint64_t *counter = slot(use, trigger->counter);

	if (command->is_due && !command->is_due(use, trigger))
		return;
	if (counter && !take(counter))
		return;
	if (!command->act(use, trigger) && counter)
		__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

uint32_t triggers_before(const struct event_use *use, const void *entry,
			 size_t bytes)
{
	const struct abi_triggers *list = use->triggers;
	uint32_t after = 0;

	for (uint32_t i = 0; list && i < list->nr; i++) {
		const struct abi_trigger *trigger = &list->triggers[i];
		const void *program = (const char *)list + trigger->program;

		if (trigger->program && !filter_keeps(program, entry, bytes))
			continue;
		if (use->is_conditional && commands[trigger->command].is_after)
			after |= 1u << trigger->command;
		else
			trigger_fire(use, trigger);
	}
	return after;
}

/* Run the triggers whose commands have their bits set in @which.  An event has at most one
 * trigger of each of these commands. */
static void fire_those(const struct event_use *use, uint32_t which)
{
	const struct abi_triggers *list = use->triggers;

	for (uint32_t i = 0; which && i < list->nr; i++) {
		if (which >> list->triggers[i].command & 1)
			trigger_fire(use, &list->triggers[i]);
	}
}

/* Run the triggers that come after the record.  The snapshot is taken first: it must
 * include the record, but not what other triggers write. */
void triggers_after(const struct event_use *use, uint32_t after)
{
	fire_those(use, after & COMMANDS_FIRST);
	fire_those(use, after & ~(uint32_t)COMMANDS_FIRST);
}

bool triggers_are_conditional(const struct abi_triggers *list)
{
	for (uint32_t i = 0; i < list->nr; i++) {
		if (list->triggers[i].program ||
		    commands[list->triggers[i].command].is_conditional)
			return true;
	}
	return false;
}

/* ---- verify triggers, which come from shared memory ---- */

bool trigger_is_valid(const struct abi_trigger *trigger, uint32_t nr_slots)
{
	return trigger->command < NR_COMMANDS && trigger->counter <= nr_slots &&
	       trigger->target <= nr_slots &&
	       (!commands[trigger->command].has_target || trigger->target);
}

static bool is_valid(const struct abi_triggers *list, uint32_t bytes,
		     const struct abi_trigger *trigger, uint32_t nr_slots,
		     uint32_t record_bytes)
{
	const char *program = (const char *)list + trigger->program;

	if (!trigger_is_valid(trigger, nr_slots) ||
	    !(COMMANDS_OF_EVENTS >> trigger->command & 1))
		return false;
	if (!trigger->program)
		return true;
	return trigger->program % ABI_RULES_ALIGN == 0 &&
	       trigger->program <= bytes &&
	       trigger->program_bytes <= bytes - trigger->program &&
	       !filter_verify(program, trigger->program_bytes, record_bytes);
}

int triggers_verify(const struct abi_triggers *list, uint32_t bytes,
		    uint32_t nr_slots, uint32_t record_bytes)
{
	if (bytes < sizeof(*list) || list->nr > TRIGGERS_MAX ||
	    list->nr > (bytes - sizeof(*list)) / sizeof(list->triggers[0]))
		return -EINVAL;
	for (uint32_t i = 0; i < list->nr; i++) {
		if (!is_valid(list, bytes, &list->triggers[i], nr_slots,
			      record_bytes))
			return -EINVAL;
	}
	return 0;
}
