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
 *	a pause word		processes: enable_hist, disable_hist;
 *				the server: hist:...:pause, :continue
 *
 * As in the kernel an event is conditional if one of its triggers has a filter, or is
 * traceoff, stacktrace or hist.  The triggers of a conditional event see the record.  Whether
 * the record is written is decided before a trigger can switch tracing on.  A snapshot
 * that a trigger takes includes the record.
 *
 * The triggers of other events run before the record is written.  All triggers also run
 * while tracing is off and while the event is soft disabled.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/rules.h"
#include "event/command.h"
#include "filter/run.h"
#include "hist/run.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/switch.h"
#include "runtime/event/commit.h"
#include "runtime/event/hist.h"
#include "runtime/event/trigger.h"
#include "runtime/unwind/stack.h"
#include <ulf/tracing.h>

#define TRIGGERS_MAX	4096u		/* maximum number of triggers of one event,
					 * because each hit runs all of them */
#define WORDS_MAX	1024u		/* maximum number of histograms that one
					 * trigger pauses */

/* A command that a trigger runs.  Its methods run in a probe, also in signal
 * handlers. */
struct command {
	/* Optional method: returns true if the command would change anything.  NULL:
	 * the command always changes something. */
	bool (*is_due)(const struct trigger_hit *hit, const struct abi_trigger *trigger);
	/* Method: runs the command.  Returns false if another thread has just made the
	 * same change. */
	bool (*act)(struct trigger_hit *hit, const struct abi_trigger *trigger);
	bool is_conditional;		/* true: the command must see the record, so it makes
					 * its event conditional */
	bool is_after;			/* true: for a conditional event the command runs
					 * after the record is written */
	bool has_target;		/* true: a trigger with this command is valid
					 * only if abi_trigger.target is not 0 */
	bool has_data;			/* true: abi_trigger.data of a trigger with this
					 * command is used */
};

/* Returns the rule word to which @number, a member of a trigger, refers, or NULL if
 * @number is 0. */
static uint64_t *counter_of(const struct trigger_hit *hit, uint32_t number)
{
	return number ? &hit->use->buffer->shared->slots[number - 1] : NULL;
}

/* ---- the commands traceon and traceoff ---- */

static bool is_off(const struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	(void)trigger;
	return !buffer_is_recording(hit->use->buffer);
}

static bool is_on(const struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	return !is_off(hit, trigger);
}

static bool trace_on(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	(void)trigger;
	return buffer_set_recording(hit->use->buffer, true);
}

static bool trace_off(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	(void)trigger;
	return buffer_set_recording(hit->use->buffer, false);
}

/* ---- the commands enable_event and disable_event ---- */

static bool is_disabled(const struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	return __atomic_load_n(counter_of(hit, trigger->target), __ATOMIC_RELAXED);
}

static bool is_enabled(const struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	return !is_disabled(hit, trigger);
}

static bool enable_event(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	return __atomic_exchange_n(counter_of(hit, trigger->target), 0, __ATOMIC_RELAXED);
}

static bool disable_event(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	return !__atomic_exchange_n(counter_of(hit, trigger->target), 1, __ATOMIC_RELAXED);
}

/* ---- the command snapshot ---- */

static bool take_snapshot(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	(void)trigger;
	buffer_snapshot(hit->use->buffer);
	return true;
}

/* ---- the command stacktrace ---- */

static bool record_stack(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	(void)trigger;
	if (hit->event)
		stack_record(hit->use->buffer, hit->event, hit->depth);
	else
		stack_record_function(hit->use->buffer, hit->call);
	return true;
}

/* ---- the commands dump and cpudump ---- */

static bool dump_all(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	(void)hit;
	(void)trigger;
	ftrace_dump(DUMP_ALL);
	return true;
}

static bool dump_cpu(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	(void)hit;
	(void)trigger;
	ftrace_dump(DUMP_ORIG);
	return true;
}

/* ---- the commands hist, event_probe, enable_hist and disable_hist ---- */

static bool run_hist(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	hist_hit(&hit->use->hists[trigger - hit->use->triggers->triggers], hit);
	return true;
}

/* Store @value in the rule words that pause histograms.  The trigger's data are the
 * numbers of these words. */
static void pause_hists(const struct trigger_hit *hit, const struct abi_trigger *trigger,
			uint64_t value)
{
	const uint32_t *numbers = (const uint32_t *)(const void *)
		((const char *)hit->use->triggers + trigger->data);

	for (uint32_t i = 0; i < trigger->data_bytes / sizeof(*numbers); i++) {
		uint64_t *word = counter_of(hit, numbers[i]);

		if (word && __atomic_load_n(word, __ATOMIC_RELAXED) != value)
			__atomic_store_n(word, value, __ATOMIC_RELAXED);
	}
}

static bool enable_hist(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	pause_hists(hit, trigger, 0);
	return true;
}

static bool disable_hist(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	pause_hists(hit, trigger, 1);
	return true;
}

static const struct command commands[NR_COMMANDS] = {
#define ROW(id, number, name, kind, scope, flags, help, need, mark, is_due_, act_) \
	[number] = {							\
		.is_due = is_due_, .act = act_,				\
		.is_conditional = (flags) & CMD_CONDITIONAL,		\
		.is_after = (flags) & CMD_AFTER,			\
		.has_target = (flags) & CMD_TARGET,			\
		.has_data = (flags) & CMD_DATA,				\
	},
	COMMANDS(ROW)
#undef ROW
};

static_assert(NR_COMMANDS <= 31, "a bit each");

/* ---- run the triggers of an event ---- */

/* Decrement *@counter, unless it is 0.  Returns false if it is 0. */
static bool take_count(uint64_t *counter)
{
	uint64_t left = __atomic_load_n(counter, __ATOMIC_RELAXED);

	while (left && !__atomic_compare_exchange_n(counter, &left, left - 1,
						    true, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED))
		;
	return left;
}

/* Run a trigger.  Its counter goes down only if the command changes something. */
void trigger_fire(struct trigger_hit *hit, const struct abi_trigger *trigger)
{
	const struct command *command = &commands[trigger->command];
	uint64_t *counter = counter_of(hit, trigger->counter);

	if (command->is_due && !command->is_due(hit, trigger))
		return;
	if (counter && !take_count(counter))
		return;
	if (!command->act(hit, trigger) && counter)
		__atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

void triggers_before(struct trigger_hit *hit)
{
	const struct abi_triggers *list = hit->use->triggers;

	hit->after = 0;
	for (uint32_t i = 0; list && i < list->nr; i++) {
		const struct abi_trigger *trigger = &list->triggers[i];
		const void *program = (const char *)list + trigger->program;

		if (trigger->program && !filter_keeps(program, hit->entry, hit->bytes))
			continue;
		if (hit->use->is_conditional && commands[trigger->command].is_after)
			hit->after |= 1u << trigger->command;
		else
			trigger_fire(hit, trigger);
	}
}

/* Run the triggers whose commands have their bits set in the mask @which.  An event has at
 * most one trigger of each of these commands. */
static void fire_those(struct trigger_hit *hit, uint32_t which)
{
	const struct abi_triggers *list = hit->use->triggers;

	for (uint32_t i = 0; which && i < list->nr; i++) {
		if (which >> list->triggers[i].command & 1)
			trigger_fire(hit, &list->triggers[i]);
	}
}

/* Run the triggers that come after the record.  The snapshot is taken first: it must
 * include the record, but not what other triggers write.  If both a histogram and
 * the command snapshot ask for a snapshot, only one is taken. */
void triggers_after(struct trigger_hit *hit)
{
	uint32_t after = hit->after;

	if (after & TRIGGERS_SNAPSHOT) {
		buffer_snapshot(hit->use->buffer);
		after &= ~(TRIGGERS_SNAPSHOT | 1u << COMMAND_SNAPSHOT);
	}
	fire_those(hit, after & COMMANDS_FIRST);
	fire_those(hit, after & ~(uint32_t)COMMANDS_FIRST);
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

bool trigger_has_hist(const struct abi_trigger *trigger)
{
	return commands[trigger->command].has_data && !commands[trigger->command].has_target;
}

/* ---- verify triggers, which come from shared memory ---- */

bool trigger_is_valid(const struct abi_trigger *trigger, uint32_t nr_slots)
{
	return trigger->command < NR_COMMANDS && trigger->counter <= nr_slots &&
	       trigger->target <= nr_slots &&
	       (!commands[trigger->command].has_target || trigger->target);
}

/* Returns true if the bytes from @at to before @at + @nr lie in the @bytes bytes of a
 * list of triggers, and are aligned. */
static bool is_inside(uint32_t at, uint32_t nr, uint32_t bytes)
{
	return at % ABI_RULES_ALIGN == 0 && at <= bytes && nr <= bytes - at;
}

/* Check the data of a trigger that pauses or continues histograms.  These data are numbers of
 * rule words. */
static bool are_words_valid(const uint32_t *numbers, uint32_t bytes, uint32_t nr_slots)
{
	for (uint32_t i = 0; i < bytes / sizeof(*numbers); i++) {
		if (numbers[i] > nr_slots)
			return false;
	}
	return bytes <= WORDS_MAX * sizeof(*numbers);
}

static bool is_data_valid(const struct abi_triggers *list, uint32_t bytes,
			  const struct abi_trigger *trigger, uint32_t nr_slots,
			  uint32_t record_bytes)
{
	const void *data = (const char *)list + trigger->data;

	if (!is_inside(trigger->data, trigger->data_bytes, bytes))
		return false;
	if (commands[trigger->command].has_target)
		return are_words_valid(data, trigger->data_bytes, nr_slots);
	return !hist_verify(data, trigger->data_bytes, record_bytes, nr_slots);
}

static bool is_valid(const struct abi_triggers *list, uint32_t bytes,
		     const struct abi_trigger *trigger, uint32_t nr_slots,
		     uint32_t record_bytes)
{
	const char *program = (const char *)list + trigger->program;

	if (!trigger_is_valid(trigger, nr_slots) ||
	    !(COMMANDS_OF_EVENTS >> trigger->command & 1))
		return false;
	if (commands[trigger->command].has_data &&
	    !is_data_valid(list, bytes, trigger, nr_slots, record_bytes))
		return false;
	if (!trigger->program)
		return true;
	return is_inside(trigger->program, trigger->program_bytes, bytes) &&
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
