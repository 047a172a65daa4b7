/* SPDX-License-Identifier: MIT */
/*
 * Add, remove, show and load the triggers of events, which users write to `trigger`
 * files.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_TRIGGERS_H
#define ULF_SERVER_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/rules.h"
#include "event/command.h"

#define TRIGGERS_MAX	1024u		/* maximum number of triggers of one event in
					 * one instance */

struct event;
struct filter_program;
struct instance;
struct root;
struct soft_event;
struct text;

/* A command that a trigger or a function can run: what the server needs of a row of
 * COMMANDS(). */
struct trigger_cmd {
	const char *name;
	enum command_number command;
	enum command_kind kind;
	enum command_scope scope;
	uint32_t flags;			/* enum command_flags */
	const char *help;		/* text for the README file */
	bool has_target;		/* true: SYSTEM:EVENT must follow the command */
	/* Optional method: prepare @instance before a trigger with this command is added.
	 * Returns 0 or -errno. */
	int (*need)(struct instance *instance);
};

extern const struct trigger_cmd trigger_cmds[];
extern const uint32_t nr_trigger_cmds;
/* Find a command by its name.  Returns NULL if there is no such command. */
const struct trigger_cmd *trigger_cmd_find(const char *name);
/* Find a command by its number (enum command_number).  Returns NULL if there is no such
 * command. */
const struct trigger_cmd *trigger_cmd_of(uint32_t command);

/*
 * Return true if @event may have a trigger with command @cmd.  Some commands are only
 * for functions, and ftrace:print supports only some of the commands for events.  If
 * @event is NULL, return true if a function may have the command.
 */
bool trigger_has_cmd(const struct event *event, const struct trigger_cmd *cmd);

/* One trigger of an event. */
struct trigger {
	struct trigger *next;		/* next older trigger of the event; NULL: none */
	const struct trigger_cmd *cmd;
	uint32_t counter;		/* 1 + number of the rule word that counts how
					 * often the trigger may still run; 0: no
					 * limit */
	uint32_t target_row;		/* row of the target event in the table of
					 * events, if cmd->has_target */
	struct soft_event *target;	/* soft mode of the target event, with a
					 * reference; NULL: the command has no target */
	char *filter;			/* text of the filter as it was written; NULL: none */
	struct trigger_program *programs;	/* array of nr_programs: the filter,
						 * compiled for each row of the event */
	uint32_t nr_programs;
};

/* The filter of a trigger, compiled for the records of one row of the event. */
struct trigger_program {
	uint32_t row;
	struct filter_program *program;	/* compiled filter; NULL: the filter does not
					 * fit the fields of this row, so the trigger
					 * never acts on records of this row */
};

/*
 * Handle a write to events/SYS/EVENT/trigger: add or remove a trigger.  Syntax and errors
 * are those of the kernel.  If *@ret_is_changed is true, the caller must call
 * apply_start(). A mistake in the text is reported in error_log.
 * Returns 0, -EINVAL, -EEXIST, -ENOSPC, -ENODEV (the root is dead), -EBUSY (see
 * filters_log_missed()) or another -errno.
 */
int triggers_store(struct instance *instance, const struct event *event,
		   const char *data, size_t bytes, bool *ret_is_changed);
/* Handle a read of events/SYS/EVENT/trigger: print the triggers; if there are none,
 * print the commands that the event may have. */
void triggers_show(const struct instance *instance, const struct event *event,
		   struct text *out);

/*
 * Print the part of a trigger that follows the name of its command: the target, if it has
 * one, and the count, as in ":sched:sched_switch:count=3" or ":unlimited".  @counter is
 * trigger.counter.
 */
void trigger_show_rest(const struct instance *instance,
		       const struct trigger_cmd *cmd, const struct event *target,
		       uint32_t counter, struct text *out);

/*
 * Return true if @trigger can act on records of row @row.  Then *@ret_program is the
 * compiled filter for these records; NULL: the trigger has no filter.
 */
static inline bool trigger_fits(const struct trigger *trigger, uint32_t row,
				const struct filter_program **ret_program)
{
	*ret_program = NULL;
	for (uint32_t i = 0; i < trigger->nr_programs; i++)
		if (trigger->programs[i].row == row)
			*ret_program = trigger->programs[i].program;
	return !trigger->filter || *ret_program;
}
/*
 * Count @nr triggers (at least one) that a root gets without a write: they are loaded
 * from the previous server, or inherited by events of a new module.  Returns false, and
 * counts nothing, if this would exceed the root's limit; then the triggers must not be
 * added.
 */
bool triggers_may_add(struct root *root, uint64_t nr);
/*
 * Compile the filters of all triggers of @soft for @event, which is a new or loaded
 * row.  Does nothing if the root has used up its limit for compilations.
 */
void triggers_compile(struct instance *instance, struct soft_event *soft,
		      const struct event *event);
/* Free a list of triggers.  NULL is allowed. */
void triggers_free(struct trigger *triggers);

/*
 * Append @abi, a trigger that the previous server has published, to soft->triggers.
 * @filter: text of its filter, which is copied; NULL: none.  An invalid trigger is
 * skipped.
 */
void triggers_add_old(struct instance *instance, struct soft_event *soft,
		      const struct abi_trigger *abi, const char *filter);
/*
 * Complete the triggers of the previous server: find the targets, take references and
 * compile the filters.  Triggers whose target does not exist are removed.  Must be called
 * after all triggers_add_old().
 */
void triggers_link_old(struct instance *instance);

#endif
