/* SPDX-License-Identifier: MIT */
/* Attach event probes to their targets, by a hidden trigger; see eprobe.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/format.h"
#include "hist/run.h"
#include "server/core/apply.h"
#include "server/core/instance.h"
#include "server/core/shm.h"
#include "server/dynamic/eprobe.h"
#include "server/dynamic/eprobe_compile.h"
#include "server/dynamic/inject.h"
#include "server/rules/rules.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/triggers.h"

#define LATE_MAX	4u		/* maximum number of unattached event probes that
					 * are attached when an instance is loaded */

/* The state (trigger.state) of a hidden trigger, by which an event probe is attached. */
struct attached {
	uint32_t row;			/* row of the probe's event */
};

static const struct event *target_of(const struct root *root, const struct eprobe *eprobe)
{
	return events_find_any(root, eprobe->system, eprobe->event);
}

/* Return the trigger by which the event probe in row @row is attached to @target; NULL if
 * there is none. */
static struct trigger *find_trigger(const struct instance *instance, const struct event *target,
				    uint32_t row)
{
	struct trigger *trigger = target ? triggers_first(instance, target) : NULL;

	for (; trigger; trigger = trigger->next) {
		const struct attached *attached = trigger->state;

		if (trigger->cmd->command == COMMAND_EVENT_PROBE && attached->row == row)
			return trigger;
	}
	return NULL;
}

static struct attached *make_state(uint32_t row)
{
	struct attached *attached = malloc(sizeof(*attached));

	if (attached)
		attached->row = row;
	return attached;
}

static int attach_eprobe(struct instance *instance, const struct event *target, uint32_t row,
			 const char *filter)
{
	struct attached *attached = make_state(row);
	struct trigger *trigger;
	int r;

	if (!attached)
		return -ENOMEM;
	r = trigger_make(instance, target, trigger_cmd_of(COMMAND_EVENT_PROBE), filter,
			 attached, &trigger);
	if (r) {
		free(attached);
		return r;
	}
	r = trigger_add(instance, target, trigger, UINT64_MAX);
	if (r)
		trigger_free(trigger);
	return r;
}

/* Return true if the setting of @event is on in @instance. */
static bool is_on(const struct instance *instance, const struct event *event)
{
	return shm_load(&instance->root->events_table[event->row].wanted) >>
	       instance->number & 1;
}

int eprobe_settle(struct instance *instance, const struct event *event)
{
	const struct eprobe *eprobe = event->def;
	const struct event *target = target_of(instance->root, eprobe);
	struct trigger *trigger = find_trigger(instance, target, event->row);
	bool must_attach = is_on(instance, event);
	int r;

	if (must_attach == !!trigger)
		return 0;
	if (!must_attach)
		return trigger_remove(instance, target, trigger);
	r = target ? attach_eprobe(instance, target, event->row, eprobe->filter) : -ENOENT;
	if (r)
		event_want(instance, event->row, false);
	return r;
}

int eprobe_detach_all(struct root *root, const struct event *event)
{
	const struct event *target = target_of(root, event->def);
	struct instance *instance;
	int r = 0;

	for_each_instance(instance, root) {
		struct trigger *trigger = find_trigger(instance, target, event->row);

		if (trigger && !r)
			r = trigger_remove(instance, target, trigger);
	}
	return r;
}

int eprobe_check_filter(struct root *root, const struct event *target, const char *filter)
{
	struct trigger *trigger;
	int r = trigger_make(&root->top, target, trigger_cmd_of(COMMAND_EVENT_PROBE), filter,
			     NULL, &trigger);

	if (!r)
		trigger_free(trigger);
	return r;
}

/*
 * When an instance is loaded, switch off those event probes that are on but not attached,
 * except LATE_MAX of them.  Such a probe exists if the previous server died before it
 * could attach the probe.  The limit is needed because a hostile program can set the bits
 * of all probes in all instances, and attaching all of them would take long.
 */
static void limit_late(struct instance *instance)
{
	const struct dynamic_event *dynamic;
	uint32_t nr = 0;

	TAILQ_FOREACH(dynamic, &root_dynamic(instance->root)->list, link) {
		const struct event *event = dynamic_row_of(instance->root, dynamic);

		if (dynamic->kind == &dynamic_eprobe && is_on(instance, event) &&
		    !find_trigger(instance, target_of(instance->root, event->def), event->row) &&
		    ++nr > LATE_MAX)
			event_want(instance, event->row, false);
	}
}

int eprobes_load(struct instance *instance)
{
	uint64_t block = instance_rules(instance)->block.off;
	struct apply apply;

	limit_late(instance);
	events_settle(instance);
	if (instance_rules(instance)->block.off != block)
		apply_start(instance->root, &apply);
	return 0;
}

/* ---- methods of the language of the hidden trigger's command ---- */

static int compile_eprobe(struct instance *instance, const struct trigger *trigger,
			  const struct event *target, void **ret_data, uint32_t *ret_bytes)
{
	const struct attached *attached = trigger->state;
	const struct dynamic_event *event = dynamic_of(instance->root, attached->row);
	struct eprobe_refusal refusal;
	struct hist_program *program;
	/* Compile as if any memory may be read: this was checked when the probe was made,
	 * and each process checks it again. */
	int r = event ? eprobe_compile(event->def, target->format, event->row, true, &program,
				       &refusal) : -EINVAL;

	if (r)
		return r == -ENOMEM ? r : -EINVAL;
	*ret_data = program;
	*ret_bytes = program->bytes;
	return 0;
}

/* Append the name of the event probe, GROUP/NAME with a NUL, for the next server. */
static void put_more(const struct instance *instance, const struct trigger *trigger,
		     struct text *out)
{
	const struct attached *attached = trigger->state;
	const struct dynamic_event *event = dynamic_of(instance->root, attached->row);
	const struct eprobe *eprobe = event ? event->def : NULL;

	if (eprobe)
		text_printf(out, "%s/%s%c", eprobe->group, eprobe->name, '\0');
}

/* Return the event probe that @more names as "GROUP/NAME", or NULL if there is none. */
static struct dynamic_event *find_probe(const struct root *root, const char *more,
					uint32_t bytes)
{
	struct dynamic_event *event = NULL;
	char *copy = strndup(more, bytes), *slash = copy ? strchr(copy, '/') : NULL;

	if (slash) {
		*slash = '\0';
		event = dynamic_find(root, &dynamic_eprobe, copy, slash + 1);
	}
	free(copy);
	return event;
}

static int load_eprobe(struct instance *instance, const struct event *event,
		       struct trigger *trigger, const void *more, uint32_t bytes)
{
	const struct dynamic_event *probe = more ? find_probe(instance->root, more, bytes) : NULL;
	const struct eprobe *eprobe = probe ? probe->def : NULL;

	if (!eprobe || strcmp(eprobe->system, event->format->system) ||
	    strcmp(eprobe->event, event->format->name) ||
	    find_trigger(instance, event, probe->row))
		return -EINVAL;
	trigger->state = make_state(probe->row);
	return trigger->state ? 0 : -ENOMEM;
}

/* Data that the callback emit_record() gets: the instance, and the record for which the
 * trigger runs. */
struct hit {
	struct instance *instance;
	const struct trigger_mark *mark;
};

static void emit_record(void *ctx, uint32_t row, void *entry, size_t bytes)
{
	const struct hit *hit = ctx;

	inject_emit(hit->instance->root, hit->instance, row, entry, bytes, hit->mark);
}

static void get_comm(void *ctx, char ret_comm[HIST_COMM_LEN])
{
	const struct hit *hit = ctx;

	memcpy(ret_comm, hit->mark->comm, HIST_COMM_LEN);
}

/* Record the event probe because the server itself has recorded its target.  The server does
 * not read the memory to which fields of this record point. */
static bool mark_probe(struct instance *instance, const struct trigger *trigger,
		       struct trigger_mark *mark)
{
	const struct trigger_program *compiled = trigger_program(trigger, mark->row);
	struct hit hit = { instance, mark };
	const struct hist_context context = {
		.ctx = &hit, .cpu = mark->cpu, .get_comm = get_comm, .emit = emit_record,
	};
	struct hist_unit unit;

	hist_unit_init(&unit, compiled->data, NULL);
	hist_run(&unit, mark->rec, mark->bytes, &context);
	return true;
}

static void free_state(struct trigger *trigger)
{
	free(trigger->state);
}

const struct trigger_lang eprobe_lang = {
	.is_last = true,
	.compile = compile_eprobe,
	.put_more = put_more,
	.load = load_eprobe,
	.mark = mark_probe,
	.free = free_state,
};
