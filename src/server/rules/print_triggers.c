/* SPDX-License-Identifier: MIT */
/*
 * Run the triggers of ftrace:print.  (runtime/event/trigger.c runs the triggers of other
 * events.)  The marker is always recorded first: the kernel, too, reserves the record
 * before it looks for triggers, and runs no triggers while tracing is off.
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
#include "server/rules/triggers.h"

/* The event ftrace:print.  event.format is not const, so its value is cast; nobody
 * changes the format. */
const struct event print_event = {
	.row = ABI_ROW_PRINT,
	.system_number = UINT32_MAX,
	.is_present = true,
	.is_visible = true,
	.format = (struct event_format *)&ftrace_events[FTRACE_PRINT],
};

/* The thread that has written the marker.  filter_context.get_comm() has no parameter
 * for the thread, so it is in a global variable; this is safe, because the server has
 * one thread. */
static struct {
	pid_t tid;
	char comm[FILTER_COMM_LEN];
} writer;

/* ---- commands of triggers; each returns true if it has changed something ---- */

static bool mark_trace_on(struct instance *instance, const struct trigger *trigger)
{
	(void)trigger;
	return instance_set_on(instance, true);
}

static bool mark_trace_off(struct instance *instance, const struct trigger *trigger)
{
	(void)trigger;
	return instance_set_on(instance, false);
}

/* Stop recording, and record the kernel's messages about it.  Called if a user has
 * freed the spare side (by writing 0 to `snapshot`) after the trigger was set. */
static void refuse_command(struct instance *instance)
{
	marker_say(instance, ABI_IP_SNAPSHOT, "*** SNAPSHOT NOT ALLOCATED ***",
		   writer.tid);
	marker_say(instance, ABI_IP_SNAPSHOT, "*** stopping trace here!   ***",
		   writer.tid);
	instance_set_on(instance, false);
}

static bool mark_snapshot(struct instance *instance, const struct trigger *trigger)
{
	(void)trigger;
	if (instance_has_spare(instance))
		instance_swap(instance, CPU_ALL);
	else
		refuse_command(instance);
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

static bool mark_enable(struct instance *instance, const struct trigger *trigger)
{
	return set_disabled(instance, trigger, false);
}

static bool mark_disable(struct instance *instance, const struct trigger *trigger)
{
	return set_disabled(instance, trigger, true);
}

/* The functions that run commands, by number of the command.  NULL: triggers of
 * ftrace:print cannot have this command. */
static bool (*const acts[NR_COMMANDS])(struct instance *instance,
				       const struct trigger *trigger) = {
#define ROW(id, number, name, kind, scope, flags, help, need, mark, is_due, act) \
	[number] = mark,
	COMMANDS(ROW)
#undef ROW
};

bool print_has_command(enum command_number command)
{
	return acts[command];
}

/* ---- run the triggers of ftrace:print ---- */

static void get_comm(char ret_comm[FILTER_COMM_LEN])
{
	memcpy(ret_comm, writer.comm, sizeof(writer.comm));
}

/* Run one trigger, unless its counter is 0.  The counter is decremented only if the
 * command has changed something.  Only the server writes to counters of ftrace:print,
 * so it needs no atomic operation. */
static void fire_trigger(struct instance *instance, const struct trigger *trigger)
{
	uint64_t *counter = trigger->counter ?
		&instance->abi->slots[trigger->counter - 1] : NULL;
	uint64_t left = counter ? shm_load(counter) : 0;

	if (counter && !left)
		return;
	if (acts[trigger->cmd->command](instance, trigger) && counter)
		shm_store(counter, left - 1);
}

void print_triggers_run(struct instance *instance, const void *rec, size_t bytes,
			pid_t tid, uint32_t cpu)
{
	const struct filter_context context = {
		.cpu = cpu, .tid = (uint32_t)tid, .get_comm = get_comm,
	};
	const struct trigger *trigger = instance_rules(instance)->print.triggers;
	const struct filter_program *program;

	if (!trigger)
		return;
	writer.tid = tid;
	strncpy(writer.comm, comms_find(instance->root, (uint32_t)tid),
		sizeof(writer.comm) - 1);
	for (; trigger; trigger = trigger->next)
		if (trigger_fits(trigger, ABI_ROW_PRINT, &program) &&
		    (!program || filter_match(program, rec, bytes, &context)))
			fire_trigger(instance, trigger);
}
