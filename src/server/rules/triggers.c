/* SPDX-License-Identifier: MIT */
/* Add, remove, show and load the triggers of events.  docs/design/triggers.md describes the
 * path from a write to a trigger that runs. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/format.h"
#include "filter/filter.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/rings/rings.h"
#include "server/rules/events.h"
#include "server/rules/filters.h"
#include "server/rules/print_triggers.h"
#include "server/rules/rules.h"
#include "server/rules/soft.h"
#include "server/rules/trigger_errors.h"
#include "server/rules/trigger_words.h"
#include "server/rules/triggers.h"

#define WRITE_MAX	4096		/* a write must be shorter than this number of
					 * bytes: one memory page, as in the kernel */
/* Limits of one root for triggers that are loaded from the previous server or inherited
 * by events of new modules.  Triggers that users write have other limits. */
#define OLD_TRIGGERS_MAX 65536u		/* maximum number of triggers; a trigger counts
					 * once for each row of its event */
#define COMPILE_BYTES	64u		/* number that each compilation of a filter adds
					 * to root_rules.filters_taken, besides the
					 * length of the filter */
#define FILTERS_BYTES_MAX (2u << 20)	/* maximum value of root_rules.filters_taken */

/* Return the target event of @trigger; NULL if its command has no target. */
static const struct event *target_of(const struct instance *instance,
				     const struct trigger *trigger)
{
	return trigger->cmd->has_target ?
	       root_events(instance->root)->rows[trigger->target_row] : NULL;
}

/* ---- compile the filters of triggers ---- */

static int compile_filter(struct instance *instance, struct trigger *trigger,
			  const struct event *event, struct filter_error *ret_error)
{
	struct filter_env env = filters_env(instance);
	struct trigger_program *programs;

	programs = realloc(trigger->programs, (trigger->nr_programs + 1) *
					      sizeof(*programs));
	if (!programs)
		return -ENOMEM;
	trigger->programs = programs;
	programs += trigger->nr_programs++;
	*programs = (struct trigger_program){ .row = event->row };
	return filter_compile(event->format, trigger->filter, &env,
			      &programs->program, ret_error);
}

/* Count a compilation of @filter.  Returns false if the root has reached its limit.
 * There must be a limit, because each filter is compiled for every row of its event,
 * and each compilation takes a few microseconds, more for a long filter. */
static bool may_compile(struct root *root, const char *filter)
{
	struct root_rules *limits = root_rules(root);

	limits->filters_taken += COMPILE_BYTES + strlen(filter);
	return limits->filters_taken <= FILTERS_BYTES_MAX;
}

void triggers_compile(struct instance *instance, struct soft_event *soft,
		      const struct event *event)
{
	struct filter_error error;

	if (root_rules(instance->root)->filters_taken > FILTERS_BYTES_MAX)
		return;
	for (struct trigger *t = soft->triggers; t; t = t->next)
		if (t->filter && may_compile(instance->root, t->filter))
			compile_filter(instance, t, event, &error);
}

/* Compile the filter of @trigger for all rows that have the name of @event.  Only an
 * error for @event itself is reported, because the filter need not fit the fields of
 * other rows. */
static int compile_all(struct instance *instance, const struct event *event,
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

/* ---- make and find a trigger ---- */

static void trigger_free(struct trigger *trigger)
{
	for (uint32_t i = 0; i < trigger->nr_programs; i++)
		free(trigger->programs[i].program);
	free(trigger->programs);
	free(trigger->filter);
	free(trigger);
}

void triggers_free(struct trigger *triggers)
{
	while (triggers) {
		struct trigger *next = triggers->next;

		trigger_free(triggers);
		triggers = next;
	}
}

/* Fill @trigger from @words: command, target, count and compiled filter.  The trigger is
 * not added to the event yet. */
static int trigger_fill(struct trigger *trigger, struct instance *instance,
			const struct event *event, struct trigger_words *words,
			uint64_t *ret_count)
{
	char *filter = words->filter;
	int r;

	trigger->cmd = words->cmd;
	if (words->target)
		trigger->target_row = words->target->row;
	*ret_count = UINT64_MAX;	/* UINT64_MAX means "no limit", like the
					 * kernel's -1 */
	if (words->count) {
		r = trigger_parse_count(words->count, ret_count);
		if (r)
			return r;
	}
	if (!filter)
		return 0;
	if (strcmp(strsep(&filter, " \t"), "if") || !filter)
		return -EINVAL;
	trigger->filter = strdup(filter);
	return trigger->filter ? compile_all(instance, event, trigger) : -ENOMEM;
}

static bool is_for(const struct instance *instance, const struct trigger *trigger,
		   const struct trigger_words *words)
{
	return trigger->cmd->kind == words->cmd->kind &&
	       (!words->target ||
		event_is_named_as(target_of(instance, trigger), words->target));
}

/* Return the link in @list that points to the trigger with the command kind and the
 * target of @words.  If there is no such trigger, return the last link, which is
 * NULL. */
static struct trigger **find_trigger(const struct instance *instance,
				     struct trigger **list, const struct trigger_words *words)
{
	while (*list && !is_for(instance, *list, words))
		list = &(*list)->next;
	return list;
}

static bool is_full(const struct soft_event *soft)
{
	uint32_t nr = 0;

	for (const struct trigger *t = soft->triggers; t; t = t->next)
		nr++;
	return nr >= TRIGGERS_MAX;
}

/* ---- add and remove triggers ---- */

/* Put the event and the target of @trigger into soft mode, and take references of both. */
static int attach_trigger(struct instance *instance, const struct event *event,
			  struct trigger *trigger, struct soft_event **ret_soft)
{
	struct soft_event *soft;
	int r = soft_get(instance, event, &soft);

	if (r)
		return r;
	if (trigger->cmd->has_target) {
		r = soft_get(instance, target_of(instance, trigger),
			     &trigger->target);
		if (r) {
			soft_put(instance, soft);
			return r;
		}
	}
	if (soft->triggers)
		soft->refs--;		/* all triggers of an event share one reference,
					 * so drop the second one */
	*ret_soft = soft;
	return 0;
}

static void detach_trigger(struct instance *instance, struct soft_event *soft,
			   struct trigger **at)
{
	struct trigger *trigger = *at;

	*at = trigger->next;
	if (trigger->target)
		soft_put(instance, trigger->target);
	if (!soft->triggers)
		soft_put(instance, soft);
}

static int insert_trigger(struct instance *instance, const struct event *event,
			  struct trigger *trigger, uint64_t count)
{
	struct soft_event *soft;
	uint32_t slot = 0;
	int r;

	r = instance_need_rings(instance);
	if (!r && count != UINT64_MAX) {
		r = slot_alloc(instance, count, &slot);
		trigger->counter = slot + 1;
	}
	if (r)
		return r;
	r = attach_trigger(instance, event, trigger, &soft);
	if (!r) {
		trigger->next = soft->triggers;
		soft->triggers = trigger;
		r = rules_publish(instance);
		if (r)
			detach_trigger(instance, soft, &soft->triggers);
	}
	soft_settle(instance);
	if (r && trigger->counter)
		slot_free(instance, slot);
	return r;
}

static int add_trigger(struct instance *instance, const struct event *event,
		       struct trigger_words *words)
{
	struct soft_event *soft = soft_find(instance, event);
	struct trigger *trigger = calloc(1, sizeof(*trigger));
	uint64_t count;
	int r;

	if (!trigger)
		return -ENOMEM;
	r = trigger_fill(trigger, instance, event, words, &count);
	if (!r && instance->root->state == SERVER_ROOT_DEAD)
		r = -ENODEV;
	if (!r && words->cmd->need)
		r = words->cmd->need(instance);
	if (!r && soft && *find_trigger(instance, &soft->triggers, words))
		r = -EEXIST;
	if (!r && soft && is_full(soft))
		r = -ENOSPC;
	if (!r)
		r = insert_trigger(instance, event, trigger, count);
	if (r)
		trigger_free(trigger);
	return r;
}

static int take_away(struct instance *instance, const struct event *event,
		     struct soft_event *soft, struct trigger **at)
{
	struct trigger *trigger = *at;
	int r;

	detach_trigger(instance, soft, at);
	r = rules_publish(instance);
	if (r && !attach_trigger(instance, event, trigger, &soft)) {
		trigger->next = *at;
		*at = trigger;
	}
	soft_settle(instance);
	if (r)
		return r;
	if (trigger->counter)
		slot_free(instance, trigger->counter - 1);
	trigger_free(trigger);
	return 0;
}

bool trigger_has_cmd(const struct event *event, const struct trigger_cmd *cmd)
{
	if (!event)
		return cmd->scope & CMD_FUNCTION;
	return cmd->scope & CMD_EVENT &&
	       (event != &print_event || print_has_command(cmd->command));
}

static int store_command(struct instance *instance, const struct event *event,
			 char *text, bool *ret_is_changed)
{
	struct soft_event *soft;
	struct trigger_words words;
	struct trigger **at;
	int r = trigger_parse(instance->root, text, &words);

	if (!r && !trigger_has_cmd(event, words.cmd))
		r = -EINVAL;
	if (r)
		return r;
	if (!words.is_removal) {
		r = add_trigger(instance, event, &words);
		*ret_is_changed = !r;
		return r;
	}
	soft = soft_find(instance, event);
	at = soft ? find_trigger(instance, &soft->triggers, &words) : NULL;
	if (!at || !*at)
		return 0;
	r = take_away(instance, event, soft, at);
	*ret_is_changed = !r;
	return r;
}

int triggers_store(struct instance *instance, const struct event *event,
		   const char *data, size_t bytes, bool *ret_is_changed)
{
	char *copy, *text, *end;
	int r;

	*ret_is_changed = false;
	if (bytes >= WRITE_MAX)
		return -EINVAL;
	copy = strndup(data, bytes);
	if (!copy)
		return -ENOMEM;
	rules_refresh(instance);
	end = copy + strlen(copy);
	while (end > copy && isspace((unsigned char)end[-1]))
		*--end = '\0';
	for (text = copy; isspace((unsigned char)*text); text++)
		;
	r = store_command(instance, event, text, ret_is_changed);
	if (r == -EINVAL) {
		/* Restore the text in @copy, in which trigger_parse() has stored NULs.
		 * The text ends at the first NUL of @data, or at the blanks before its
		 * end. */
		memcpy(copy, data, (size_t)(end - copy));
		trigger_log(instance, event, text);
	}
	free(copy);
	return r;
}

/* ---- print the triggers of an event ---- */

void trigger_show_rest(const struct instance *instance,
		       const struct trigger_cmd *cmd, const struct event *target,
		       uint32_t counter, struct text *out)
{
	if (cmd->has_target)
		text_printf(out, ":%s:%s", target->format->system,
			    target->format->name);
	if (counter)
		text_printf(out, ":count=%" PRId64,
			    (int64_t)slot_value(instance, counter - 1));
	else
		text_puts(out, ":unlimited");
}

static void show_trigger(const struct instance *instance,
			 const struct trigger *trigger, struct text *out)
{
	text_puts(out, trigger->cmd->name);
	trigger_show_rest(instance, trigger->cmd, target_of(instance, trigger),
			  trigger->counter, out);
	if (trigger->filter)
		text_printf(out, " if %s", trigger->filter);
	text_putc(out, '\n');
}

void triggers_show(const struct instance *instance, const struct event *event,
		   struct text *out)
{
	const struct soft_event *soft = soft_find(instance, event);

	if (!soft || !soft->triggers) {
		text_puts(out, "# Available triggers:\n#");
		for (uint32_t i = 0; i < nr_trigger_cmds; i++)
			if (trigger_has_cmd(event, &trigger_cmds[i]))
				text_printf(out, " %s", trigger_cmds[i].name);
		text_putc(out, '\n');
		return;
	}
	for (const struct trigger *t = soft->triggers; t; t = t->next)
		show_trigger(instance, t, out);
}

/* ---- load the triggers of the previous server ---- */

bool triggers_may_add(struct root *root, uint64_t nr)
{
	struct root_rules *limits = root_rules(root);

	nr += !nr;
	if (limits->triggers_taken + nr > OLD_TRIGGERS_MAX)
		return false;
	limits->triggers_taken += nr;
	return true;
}

void triggers_add_old(struct instance *instance, struct soft_event *soft,
		      const struct abi_trigger *abi, const char *filter)
{
	struct trigger **end = &soft->triggers;
	struct trigger *trigger;

	if (abi->counter > ABI_SLOTS || !triggers_may_add(instance->root, soft->nr_rows))
		return;
	trigger = calloc(1, sizeof(*trigger));
	if (!trigger)
		return;
	trigger->cmd = trigger_cmd_of(abi->command);
	trigger->filter = filter ? strdup(filter) : NULL;
	if (!trigger->cmd || !(trigger->cmd->scope & CMD_EVENT) ||
	    (filter && !trigger->filter) ||
	    (soft == &instance_rules(instance)->print && !print_has_command(abi->command))) {
		trigger_free(trigger);
		return;
	}
	trigger->counter = abi->counter;
	trigger->target_row = abi->target_row;
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

/* Take the references of the loaded triggers of @soft, as if users had just written
 * them.  Triggers whose target does not exist are removed. */
static void link_all(const struct instance *instance, struct soft_event *soft)
{
	struct trigger **at = &soft->triggers;

	while (*at) {
		struct trigger *trigger = *at;

		if (link_target(instance, trigger)) {
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
