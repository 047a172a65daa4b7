/* SPDX-License-Identifier: MIT */
/*
 * Run the triggers of ftrace:print.  (runtime/event/trigger.c runs the triggers of
 * other events.)  The record of the marker is always written before the triggers run.
 * The kernel, too, reserves the record first, and runs no triggers while tracing is
 * off.
 */
#include <string.h>

#include "event/ftrace_event.h"
#include "filter/run.h"
#include "server/core/instance.h"
#include "server/core/shm.h"
#include "server/names/comm.h"
#include "server/rings/options.h"
#include "server/rings/rings.h"
#include "server/rules/events.h"
#include "server/rules/marker.h"
#include "server/rules/print_triggers.h"
#include "server/rules/rules.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/triggers.h"

/* The event ftrace:print.  The member event.format is not const, so its value is cast; no
 * code changes this format. */
const struct event print_event = {
	.row = ABI_ROW_PRINT,
	.system_number = UINT32_MAX,
	.is_present = true,
	.is_visible = true,
	.format = (struct event_format *)&ftrace_events[FTRACE_PRINT],
};

/*
 * Name of the thread that has written the marker, for filters. filter_context.get_comm()
 * cannot pass the name, so a global variable holds it.  This is safe, because the server
 * has one thread.
 */
static char writer_comm[FILTER_COMM_LEN];

/* ---- functions that run one command; they return true if it has changed something ---- */

static bool mark_trace_on(struct instance *instance, const struct trigger *trigger,
			  struct trigger_mark *mark)
{
	(void)trigger;
	(void)mark;
	return instance_set_on(instance, true);
}

static bool mark_trace_off(struct instance *instance, const struct trigger *trigger,
			   struct trigger_mark *mark)
{
	(void)trigger;
	(void)mark;
	return instance_set_on(instance, false);
}

/*
 * Called if a user has freed the spare side (by writing 0 to `snapshot`) after the trigger
 * was set.  Stop recording, and record the messages that the kernel then writes.
 */
static void refuse_command(struct instance *instance, pid_t tid)
{
	marker_say(instance, ABI_IP_SNAPSHOT, "*** SNAPSHOT NOT ALLOCATED ***", tid);
	marker_say(instance, ABI_IP_SNAPSHOT, "*** stopping trace here!   ***", tid);
	instance_set_on(instance, false);
}

static void take_snapshot(struct instance *instance, pid_t tid)
{
	if (instance_has_spare(instance))
		instance_swap(instance, CPU_ALL);
	else
		refuse_command(instance, tid);
}

static bool mark_snapshot(struct instance *instance, const struct trigger *trigger,
			  struct trigger_mark *mark)
{
	(void)trigger;
	take_snapshot(instance, mark->tid);
	return true;
}

static bool set_disabled(struct instance *instance, const struct trigger *trigger,
			 bool is_disabled)
{
	bool was_disabled =
		__atomic_exchange_n(&instance->abi->slots[trigger->target->slot],
				    is_disabled, __ATOMIC_RELAXED);

	return was_disabled != is_disabled;
}

static bool mark_enable(struct instance *instance, const struct trigger *trigger,
			struct trigger_mark *mark)
{
	(void)mark;
	return set_disabled(instance, trigger, false);
}

static bool mark_disable(struct instance *instance, const struct trigger *trigger,
			 struct trigger_mark *mark)
{
	(void)mark;
	return set_disabled(instance, trigger, true);
}

/* Run a trigger's command that has a language of its own (trigger_lang.h). */
static bool mark_lang(struct instance *instance, const struct trigger *trigger,
		      struct trigger_mark *mark)
{
	return trigger->lang && trigger->lang->mark &&
	       trigger->lang->mark(instance, trigger, mark);
}

/* Functions that run the commands of triggers, indexed by number of the command.  NULL if
 * triggers of ftrace:print cannot have the command. */
static bool (*const acts[NR_COMMANDS])(struct instance *instance,
				       const struct trigger *trigger,
				       struct trigger_mark *mark) = {
#define ROW(id, number, name, kind, scope, flags, help, need, mark, is_due, act) \
	[number] = mark,
	COMMANDS(ROW)
#undef ROW
};

bool print_has_command(enum command_number command)
{
	return acts[command];
}

/* ---- functions that run all triggers of a record ---- */

static void get_comm(char ret_comm[FILTER_COMM_LEN])
{
	memcpy(ret_comm, writer_comm, sizeof(writer_comm));
}

/* Decrement the counter of a trigger, unless the counter is 0.  Processes may decrement
 * it at the same time. */
static void count_down(uint64_t *counter)
{
	uint64_t left = shm_load(counter);

	while (left && !__atomic_compare_exchange_n(counter, &left, left - 1, false,
						    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

/* Run one trigger, unless its counter is 0.  The counter is decremented only if the
 * command has changed something. */
static void fire_trigger(struct instance *instance, const struct trigger *trigger,
			 struct trigger_mark *mark)
{
	uint64_t *counter = trigger->counter ?
		&instance->abi->slots[trigger->counter - 1] : NULL;

	if (!acts[trigger->cmd->command] || (counter && !shm_load(counter)))
		return;
	if (acts[trigger->cmd->command](instance, trigger, mark) && counter)
		count_down(counter);
}

void triggers_mark(struct instance *instance, const struct event *event,
		   struct trigger_mark *mark)
{
	const struct filter_context context = {
		.cpu = mark->cpu, .tid = (uint32_t)mark->tid, .get_comm = get_comm,
	};
	const struct soft_event *soft = soft_find(instance, event);
	const struct trigger *trigger = soft ? soft->triggers : NULL;

	if (!trigger)
		return;
	mark->row = event->row;
	mark->comm = writer_comm;
	strncpy(writer_comm, comms_find(instance->root, (uint32_t)mark->tid),
		sizeof(writer_comm) - 1);
	for (; trigger; trigger = trigger->next) {
		const struct trigger_program *program = trigger_program(trigger, event->row);

		if (program && (!program->filter ||
				filter_match(program->filter, mark->rec, mark->bytes, &context)))
			fire_trigger(instance, trigger, mark);
	}
	if (mark->wants_snapshot)
		take_snapshot(instance, mark->tid);
}

void print_triggers_run(struct instance *instance, const void *rec, size_t bytes,
			pid_t tid, uint32_t cpu, uint64_t time)
{
	struct trigger_mark mark = {
		.rec = rec, .bytes = bytes, .tid = tid, .cpu = cpu, .time = time,
	};

	triggers_mark(instance, &print_event, &mark);
}
