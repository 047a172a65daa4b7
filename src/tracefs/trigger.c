/* SPDX-License-Identifier: MIT */
/* The files `trigger` of events, and the help for commands of triggers and
 * functions. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/apply.h"
#include "server/core/instance.h"
#include "server/rules/filters.h"
#include "server/rules/print_triggers.h"
#include "server/rules/rules.h"
#include "server/rules/triggers.h"
#include "tracefs/files.h"

static int show_triggers(struct tracefs_node *node, const struct event *event,
			 struct text *out)
{
	if (!event)
		return -ENODEV;
	rules_refresh(tracefs_instance(node));
	triggers_show(tracefs_instance(node), event, out);
	return 0;
}

static const char *skip_blanks(const char *buf, size_t *size)
{
	while (*size && isspace((unsigned char)*buf)) {
		buf++;
		--*size;
	}
	return buf;
}

static void put_commands(struct text *out, enum command_scope scope)
{
	for (uint32_t i = 0; i < nr_trigger_cmds; i++)
		if (trigger_cmds[i].scope & scope && !(trigger_cmds[i].flags & CMD_HIDDEN))
			text_printf(out, "\t\t\t  %s%s: %s\n",
				    trigger_cmds[i].name,
				    trigger_cmds[i].has_target ?
				    ":SYSTEM:EVENT" : "", trigger_cmds[i].help);
}

void event_commands_help(struct text *out)
{
	put_commands(out, CMD_EVENT);
}

void function_commands_help(struct text *out)
{
	put_commands(out, CMD_FUNCTION);
}

/* Return true if the written text removes a trigger: its first character that is not a
 * blank is `!'. */
static bool is_removal(const char *buf, size_t size)
{
	buf = skip_blanks(buf, &size);
	return size && *buf == '!';
}

static ssize_t store_trigger(struct tracefs_file *file, const struct event *event,
			     const char *buf, size_t size)
{
	struct instance *instance = tracefs_instance(file->node);
	bool is_changed = false;
	int r = 0;

	if (!event)
		return -ENODEV;
	r = filters_parse(instance->root, buf, size);
	if (r)
		return r;
	if (!is_removal(buf, size))
		r = apply_check(instance, file->def->name);
	if (!r)
		r = triggers_store(instance, event, buf, size, &is_changed);
	if (is_changed)
		tracefs_file_apply(file);
	return r ? r : (ssize_t)size;
}

int trigger_show(struct tracefs_node *node, struct text *out)
{
	return show_triggers(node, tracefs_event(node), out);
}

/*
 * Store in file->undo the command that removes the trigger that was just written: the
 * text of the trigger with a `!' before it.  If there is no memory for this,
 * trigger_refused() cannot remove the trigger.
 */
static void keep_undo(struct tracefs_file *file, const char *buf, size_t size)
{
	buf = skip_blanks(buf, &size);
	if (asprintf(&file->undo, "!%.*s", (int)size, buf) < 0)
		file->undo = NULL;
}

/* Return the number of triggers of @event. */
static uint32_t nr_triggers(const struct instance *instance, const struct event *event)
{
	uint32_t nr = 0;

	for (const struct trigger *t = triggers_first(instance, event); t; t = t->next)
		nr++;
	return nr;
}

ssize_t trigger_store(struct tracefs_file *file, const char *buf, size_t size,
		      pid_t tid)
{
	struct instance *instance = tracefs_instance(file->node);
	const struct event *event = tracefs_event(file->node);
	uint32_t before = event ? nr_triggers(instance, event) : 0;
	ssize_t r = store_trigger(file, event, buf, size);

	(void)tid;
	free(file->undo);
	file->undo = NULL;
	/* Compare the numbers of triggers: a trigger was added only if there are more than
	 * before, because a write may also remove a trigger, or change one (hist:...:clear). */
	if (r > 0 && nr_triggers(instance, event) > before)
		keep_undo(file, buf, size);
	return r;
}

/* Remove the trigger that was written last, because a process could not turn the event
 * on: the registration function of TRACE_EVENT_FN has failed. */
void trigger_refused(struct tracefs_file *file)
{
	struct instance *instance = tracefs_instance(file->node);
	const struct event *event = tracefs_event(file->node);
	struct apply apply;
	bool is_changed;

	if (!event || !file->undo)
		return;
	triggers_store(instance, event, file->undo, strlen(file->undo), &is_changed);
	if (is_changed)
		apply_start(instance->root, &apply);
}

/*
 * Remove the triggers that the kernel removes when the file is opened with O_TRUNC.
 * Waits until the processes have applied this, because possibly no write follows that
 * would wait.
 */
static int truncate_triggers(struct tracefs_file *file, const struct event *event)
{
	bool is_changed;

	if (!event)
		return -ENODEV;
	triggers_truncate(tracefs_instance(file->node), event, &is_changed);
	if (is_changed) {
		tracefs_file_apply(file);
		apply_wait(&file->apply, APPLY_WAIT_NS);
	}
	return 0;
}

int trigger_truncate(struct tracefs_file *file)
{
	return truncate_triggers(file, tracefs_event(file->node));
}

int print_trigger_truncate(struct tracefs_file *file)
{
	return truncate_triggers(file, &print_event);
}

int print_trigger_show(struct tracefs_node *node, struct text *out)
{
	return show_triggers(node, &print_event, out);
}

ssize_t print_trigger_store(struct tracefs_file *file, const char *buf, size_t size,
			    pid_t tid)
{
	(void)tid;
	return store_trigger(file, &print_event, buf, size);
}
