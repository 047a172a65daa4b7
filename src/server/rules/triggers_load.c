/* SPDX-License-Identifier: MIT */
/* Compile the triggers of events for the rows of their events, and load the triggers of the
 * previous server. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "filter/filter.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/rules/events.h"
#include "server/rules/filters.h"
#include "server/rules/print_triggers.h"
#include "server/rules/rules.h"
#include "server/rules/soft.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/triggers.h"
#include "server/rules/triggers_impl.h"

/* Limits of one root for triggers that are loaded from the previous server or inherited
 * by events of new modules.  Triggers that users write have other limits. */
#define OLD_TRIGGERS_MAX 65536u		/* maximum number of loaded or inherited triggers of a
					 * root; a trigger counts once for each row of its
					 * event */
#define COMPILE_BYTES	64u		/* amount by which each compilation of a trigger
					 * raises root_rules.filters_taken, in addition to
					 * the lengths of the filter and the data */
#define FILTERS_BYTES_MAX (2u << 20)	/* maximum value of root_rules.filters_taken, the cost
					 * of compiling loaded or inherited triggers */

/* ---- functions that compile triggers ---- */

/* Return the element of trigger->programs for row @row.  If it does not exist, it is
 * made.  Returns NULL if there is no memory. */
static struct trigger_program *need_program(struct trigger *trigger, uint32_t row)
{
	struct trigger_program *programs;

	for (uint32_t i = 0; i < trigger->nr_programs; i++)
		if (trigger->programs[i].row == row)
			return &trigger->programs[i];
	programs = realloc(trigger->programs, (trigger->nr_programs + 1) *
					      sizeof(*programs));
	if (!programs)
		return NULL;
	trigger->programs = programs;
	programs += trigger->nr_programs++;
	*programs = (struct trigger_program){ .row = row };
	return programs;
}

/* Compile the filter of @trigger, which must have one, for @event. */
static int compile_filter(struct instance *instance, struct trigger *trigger,
			  const struct event *event, struct filter_error *ret_error)
{
	struct trigger_program *program = need_program(trigger, event->row);
	struct filter_env env = filters_env(instance);

	if (!program)
		return -ENOMEM;
	free(program->filter);
	program->filter = NULL;
	return filter_compile(event->format, trigger->filter, &env, &program->filter,
			      ret_error);
}

/* Compile the data of @trigger for @event.  After an error, the old data stay in force. */
static int compile_data(struct instance *instance, struct trigger *trigger,
			const struct event *event)
{
	struct trigger_program *program = need_program(trigger, event->row);
	uint32_t bytes;
	void *data;
	int r;

	if (!program)
		return -ENOMEM;
	r = trigger->lang->compile(instance, trigger, event, &data, &bytes);
	if (r)
		return r;
	free(program->data);
	program->data = data;
	program->data_bytes = bytes;
	return 0;
}

int trigger_compile_filter(struct instance *instance, const struct event *event,
			   struct trigger *trigger)
{
	struct root *root = instance->root;
	const struct event *other;
	struct filter_error error;
	int r = compile_filter(instance, trigger, event, &error);

	if (r && r != -ENOMEM && filters_log_missed(instance, trigger->filter))
		return -EBUSY;
	if (r && r != -ENOMEM)
		filters_log_error(instance, event, trigger->filter, &error);
	if (r || event == &print_event)
		return r;
	for (other = event_youngest(root, event); !r && other;
	     other = event_elder(root, other))
		if (other->row != event->row &&
		    compile_filter(instance, trigger, other, &error) == -ENOMEM)
			r = -ENOMEM;
	return r;
}

int trigger_recompile(struct instance *instance, const struct event *event,
		      struct trigger *trigger)
{
	const struct event *other;
	int r;

	if (!trigger->lang || !trigger->lang->compile)
		return 0;
	r = compile_data(instance, trigger, event);
	if (r || event == &print_event)
		return r;
	for (other = event_youngest(instance->root, event); !r && other;
	     other = event_elder(instance->root, other))
		if (other->row != event->row &&
		    compile_data(instance, trigger, other) == -ENOMEM)
			r = -ENOMEM;
	return r;
}

/*
 * Count a compilation of @bytes bytes.  Returns false if the root has reached its limit.
 * The limit is needed because each trigger is compiled for every row of its event, and
 * each compilation takes a few microseconds, more for a long filter.
 */
static bool may_compile(struct root *root, size_t bytes)
{
	struct root_rules *limits = root_rules(root);

	limits->filters_taken += COMPILE_BYTES + bytes;
	return limits->filters_taken <= FILTERS_BYTES_MAX;
}

static void compile_old(struct instance *instance, struct trigger *trigger,
			const struct event *event)
{
	struct filter_error error;

	if (trigger->filter && may_compile(instance->root, strlen(trigger->filter)))
		compile_filter(instance, trigger, event, &error);
	if (trigger->lang && trigger->lang->compile && may_compile(instance->root, 0) &&
	    !compile_data(instance, trigger, event))
		may_compile(instance->root, need_program(trigger, event->row)->data_bytes);
}

void triggers_compile(struct instance *instance, struct soft_event *soft,
		      const struct event *event)
{
	if (root_rules(instance->root)->filters_taken > FILTERS_BYTES_MAX)
		return;
	for (struct trigger *t = soft->triggers; t; t = t->next)
		compile_old(instance, t, event);
}

/* ---- functions that load the triggers of the previous server ---- */

bool triggers_may_add(struct root *root, uint64_t nr)
{
	struct root_rules *limits = root_rules(root);

	nr += !nr;
	if (limits->triggers_taken + nr > OLD_TRIGGERS_MAX)
		return false;
	limits->triggers_taken += nr;
	return true;
}

/* Return true if the previous server can have published a trigger of @soft with the
 * command @cmd. */
static bool may_be_old(const struct instance *instance, const struct soft_event *soft,
		       const struct trigger_cmd *cmd)
{
	return cmd && cmd->scope & CMD_EVENT &&
	       (soft != &instance_rules(instance)->print || print_has_command(cmd->command));
}

/* Fill @trigger from @abi, a trigger that the previous server has published. */
static int fill_old(struct trigger *trigger, struct instance *instance,
		    const struct event *event, const struct abi_trigger *abi,
		    const char *filter, const void *more, uint32_t bytes)
{
	trigger->lang = trigger_lang_of(instance->root, trigger->cmd->command);
	if (trigger->cmd->flags & CMD_DATA && !trigger->lang)
		return -EINVAL;
	trigger->counter = abi->counter;
	trigger->target_row = abi->target_row;
	trigger->filter = filter ? strdup(filter) : NULL;
	if (filter && !trigger->filter)
		return -ENOMEM;
	return trigger->lang && trigger->lang->load ?
	       trigger->lang->load(instance, event, trigger, more, bytes) : 0;
}

void triggers_add_old(struct instance *instance, struct soft_event *soft,
		      const struct event *event, const struct abi_trigger *abi,
		      const char *filter, const void *more, uint32_t bytes)
{
	const struct trigger_cmd *cmd = trigger_cmd_of(abi->command);
	struct trigger **end = &soft->triggers;
	struct trigger *trigger;

	if (!may_be_old(instance, soft, cmd) || abi->counter > ABI_SLOTS ||
	    !triggers_may_add(instance->root, soft->nr_rows))
		return;
	trigger = calloc(1, sizeof(*trigger));
	if (!trigger)
		return;
	trigger->cmd = cmd;
	if (fill_old(trigger, instance, event, abi, filter, more, bytes)) {
		trigger_free(trigger);
		return;
	}
	if (trigger->counter)
		slot_use(instance, trigger->counter - 1);
	while (*end)
		end = &(*end)->next;
	*end = trigger;
}

static bool link_target(const struct instance *instance, struct trigger *trigger)
{
	struct instance_rules *rules = instance_rules(instance);

	if (!trigger->cmd->has_target)
		return true;
	if (trigger->target_row < rules->nr_rows)
		trigger->target = rules->softs[trigger->target_row];
	if (trigger->target)
		trigger->target->refs++;
	return trigger->target;
}

/* Return true if the language of @trigger has given up the trigger (trigger_lang.link). */
static bool is_given_up(const struct trigger *trigger)
{
	return trigger->lang && trigger->lang->load && !trigger->state;
}

/*
 * Take references of the soft events that the loaded triggers of @soft need, as if
 * users had just written these triggers.  Triggers whose target does not exist, and
 * those that their language has given up, are removed.
 */
static void link_all(const struct instance *instance, struct soft_event *soft)
{
	struct trigger **at = &soft->triggers;

	while (*at) {
		struct trigger *trigger = *at;

		if (!is_given_up(trigger) && link_target(instance, trigger)) {
			at = &trigger->next;
			continue;
		}
		*at = trigger->next;
		trigger_free(trigger);
	}
	if (soft->triggers)
		soft->refs++;
}

void triggers_link_old(struct instance *instance)
{
	struct instance_rules *rules = instance_rules(instance);

	for (uint32_t i = 0; i < nr_trigger_cmds; i++) {
		const struct trigger_lang *lang = trigger_lang_of(instance->root,
								  trigger_cmds[i].command);

		if (lang && lang->link)
			lang->link(instance);
	}
	for (uint32_t row = 0; row < rules->nr_rows; row++) {
		struct soft_event *soft = rules->softs[row];

		if (!soft)
			continue;
		if (row == soft->row)
			link_all(instance, soft);
		triggers_compile(instance, soft, root_events(instance->root)->rows[row]);
	}
	link_all(instance, &rules->print);
	triggers_compile(instance, &rules->print, &print_event);
}
