/* SPDX-License-Identifier: MIT */
/* Add, remove and show the triggers of events.  docs/design/triggers.md describes the
 * path from a write to a trigger that runs. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/format.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/rings/rings.h"
#include "server/rules/events.h"
#include "server/rules/print_triggers.h"
#include "server/rules/rules.h"
#include "server/rules/soft.h"
#include "server/rules/trigger_errors.h"
#include "server/rules/trigger_lang.h"
#include "server/rules/trigger_words.h"
#include "server/rules/triggers.h"
#include "server/rules/triggers_impl.h"

#define WRITE_MAX	4096		/* limit of the length of a write to `trigger`: it
					 * must be shorter than one memory page, as in the
					 * kernel */

/* Return the target event of @trigger; NULL if the trigger's command has no target. */
static const struct event *target_of(const struct instance *instance,
				     const struct trigger *trigger)
{
	return trigger->cmd->has_target ?
	       root_events(instance->root)->rows[trigger->target_row] : NULL;
}

/* ---- functions that make and find a trigger ---- */

int trigger_make(struct instance *instance, const struct event *event,
		 const struct trigger_cmd *cmd, const char *filter, void *state,
		 struct trigger **ret_trigger)
{
	struct trigger *trigger = calloc(1, sizeof(*trigger));
	int r = 0;

	if (!trigger)
		return -ENOMEM;
	trigger->cmd = cmd;
	trigger->lang = trigger_lang_of(instance->root, cmd->command);
	if (filter) {
		trigger->filter = strdup(filter);
		r = trigger->filter ? trigger_compile_filter(instance, event, trigger) :
				      -ENOMEM;
	}
	if (r) {
		trigger_free(trigger);
		return r;
	}
	trigger->state = state;
	*ret_trigger = trigger;
	return 0;
}

/* Make a trigger from the tokens @words: command, target, count and filter, which is
 * compiled. */
static int make_trigger(struct instance *instance, const struct event *event,
			struct trigger_words *words, struct trigger **ret_trigger,
			uint64_t *ret_count)
{
	char *filter = words->filter;
	int r;

	*ret_count = UINT64_MAX;	/* UINT64_MAX means that the trigger has no limit,
					 * like the kernel's -1 */
	if (words->count) {
		r = trigger_parse_count(words->count, ret_count);
		if (r)
			return r;
	}
	if (filter && (strcmp(strsep(&filter, " \t"), "if") || !filter))
		return -EINVAL;
	r = trigger_make(instance, event, words->cmd, filter, NULL, ret_trigger);
	if (!r && words->target)
		(*ret_trigger)->target_row = words->target->row;
	return r;
}

static bool is_for(const struct instance *instance, const struct trigger *trigger,
		   const struct trigger_words *words)
{
	return trigger->cmd->kind == words->cmd->kind &&
	       (!words->target ||
		event_is_named_as(target_of(instance, trigger), words->target));
}

/*
 * Return the link in @list that points to the trigger with the kind of command and the
 * target that @words name.  If there is no such trigger, return the link at the end of
 * @list, which is NULL.
 */
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

/* ---- functions that add and remove triggers ---- */

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
		soft->refs--;		/* all triggers of an event together hold one
					 * reference of the event's soft mode, so drop the
					 * second one */
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

/* Insert @trigger into the list of @soft, and publish the rules. */
static int insert_trigger(struct instance *instance, struct soft_event *soft,
			  struct trigger *trigger)
{
	struct trigger **at = &soft->triggers;
	int r;

	while (trigger->lang && trigger->lang->is_last && *at)
		at = &(*at)->next;
	trigger->next = *at;
	*at = trigger;
	r = rules_publish(instance);
	if (r)
		detach_trigger(instance, soft, at);
	return r;
}

int trigger_add(struct instance *instance, const struct event *event,
		struct trigger *trigger, uint64_t count)
{
	struct soft_event *soft = soft_find(instance, event);
	uint32_t slot = 0;
	int r;

	if (instance->root->state == SERVER_ROOT_DEAD)
		return -ENODEV;
	if (soft && is_full(soft))
		return -ENOSPC;
	r = trigger_recompile(instance, event, trigger);
	if (!r)
		r = event_need(instance, event);
	if (!r && count != UINT64_MAX) {
		r = slot_alloc(instance, count, &slot);
		trigger->counter = slot + 1;
	}
	if (r)
		return r;
	r = attach_trigger(instance, event, trigger, &soft);
	if (!r)
		r = insert_trigger(instance, soft, trigger);
	soft_settle(instance);
	if (r && trigger->counter)
		slot_free(instance, slot);
	return r;
}

static int add_trigger(struct instance *instance, const struct event *event,
		       struct trigger_words *words)
{
	struct soft_event *soft = soft_find(instance, event);
	struct trigger *trigger;
	uint64_t count;
	int r = make_trigger(instance, event, words, &trigger, &count);

	if (r)
		return r;
	if (instance->root->state == SERVER_ROOT_DEAD)
		r = -ENODEV;
	if (!r && words->cmd->need)
		r = words->cmd->need(instance);
	if (!r && soft && *find_trigger(instance, &soft->triggers, words))
		r = -EEXIST;
	if (!r)
		r = trigger_add(instance, event, trigger, count);
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

struct trigger *triggers_first(const struct instance *instance, const struct event *event)
{
	const struct soft_event *soft = soft_find(instance, event);

	return soft ? soft->triggers : NULL;
}

int trigger_remove(struct instance *instance, const struct event *event,
		   struct trigger *trigger)
{
	struct soft_event *soft = soft_find(instance, event);
	struct trigger **at = &soft->triggers;

	while (*at != trigger)
		at = &(*at)->next;
	return take_away(instance, event, soft, at);
}

void triggers_truncate(struct instance *instance, const struct event *event,
		       bool *ret_is_changed)
{
	*ret_is_changed = false;
	for (uint32_t i = nr_trigger_cmds; i--; ) {
		enum command_number command = trigger_cmds[i].command;
		const struct trigger_lang *lang = trigger_lang_of(instance->root, command);

		if (lang && lang->remove_all)
			lang->remove_all(instance, event, command, ret_is_changed);
	}
}

bool trigger_has_cmd(const struct event *event, const struct trigger_cmd *cmd)
{
	if (!event)
		return cmd->scope & CMD_FUNCTION;
	return cmd->scope & CMD_EVENT && !(cmd->flags & CMD_HIDDEN) &&
	       !(event->is_late && cmd->flags & CMD_IN_THREAD) &&
	       (event != &print_event || print_has_command(cmd->command));
}

static int store_command(struct instance *instance, const struct event *event,
			 const struct trigger_words *words, bool *ret_is_changed)
{
	struct trigger_words copy = *words;
	struct soft_event *soft;
	struct trigger **at;
	int r;

	if (!words->is_removal) {
		r = add_trigger(instance, event, &copy);
		*ret_is_changed = !r;
		return r;
	}
	soft = soft_find(instance, event);
	at = soft ? find_trigger(instance, &soft->triggers, words) : NULL;
	if (!at || !*at)
		return 0;
	r = take_away(instance, event, soft, at);
	*ret_is_changed = !r;
	return r;
}

/* Parse and run the command @text.  *@ret_is_logged is set to true if error_log already
 * has the reason of an error. */
static int store_text(struct instance *instance, const struct event *event, char *text,
		      bool *ret_is_logged, bool *ret_is_changed)
{
	struct trigger_words words;
	int r = trigger_parse(instance->root, text, &words);

	if (!r && (!trigger_has_cmd(event, words.cmd) ||
		   (words.cmd->flags & CMD_DATA && !words.lang)))
		r = -EINVAL;
	if (r)
		return r;
	if (!words.lang || !words.lang->store)
		return store_command(instance, event, &words, ret_is_changed);
	*ret_is_logged = true;
	return words.lang->store(instance, event, words.params, words.is_removal,
				 ret_is_changed);
}

int triggers_store(struct instance *instance, const struct event *event,
		   const char *data, size_t bytes, bool *ret_is_changed)
{
	bool is_logged = false;
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
	r = store_text(instance, event, text, &is_logged, ret_is_changed);
	if (r == -EINVAL && !is_logged) {
		/*
		 * trigger_parse() has stored NULs in @copy, so copy the text again.  The text
		 * ends at the first NUL of @data, or at the blanks before the end of @data.
		 */
		memcpy(copy, data, (size_t)(end - copy));
		trigger_log(instance, event, text);
	}
	free(copy);
	return r;
}

/* ---- functions that print the triggers of an event ---- */

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
	if (trigger->cmd->flags & CMD_HIDDEN)
		return;
	if (trigger->lang && trigger->lang->show) {
		trigger->lang->show(instance, trigger, out);
		return;
	}
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
