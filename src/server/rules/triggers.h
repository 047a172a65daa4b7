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
struct trigger_lang;

/* A command that triggers or functions can run: the server's part of a row of
 * COMMANDS(). */
struct trigger_cmd {
	const char *name;
	enum command_number command;
	enum command_kind kind;
	enum command_scope scope;
	uint32_t flags;			/* enum command_flags */
	const char *help;		/* text for the README file */
	bool has_target;		/* true: a target SYSTEM:EVENT must follow the
					 * command */
	/* Optional method need: prepare @instance before a trigger with this command is
	 * added.  Returns 0 or -errno. */
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
 * Return true if users may write a trigger with command @cmd for @event.  Some commands are
 * only for functions or cannot be written.  ftrace:print and late events support only some of
 * the commands for events.  If @event is NULL, return true if a function may have the command.
 */
bool trigger_has_cmd(const struct event *event, const struct trigger_cmd *cmd);

/* One trigger of an event. */
struct trigger {
	struct trigger *next;		/* next older trigger of the same event; NULL if
					 * there is none */
	const struct trigger_cmd *cmd;
	uint32_t counter;		/* 1 + number of the rule word that counts how
					 * often the trigger may still run; 0 if the
					 * trigger has no limit */
	uint32_t target_row;		/* row of the target event in the table of events,
					 * if the command has a target */
	struct soft_event *target;	/* soft mode of the target event, of which the
					 * trigger holds a reference; NULL if the command
					 * has no target */
	char *filter;			/* text of the trigger's filter as it was written;
					 * NULL if there is no filter */
	const struct trigger_lang *lang;	/* language of the trigger's command; NULL
						 * if the command has none */
	void *state;			/* data that the language keeps for this trigger */
	struct trigger_program *programs;	/* array of @nr_programs elements: for each
						 * row of the event, the filter and the data
						 * as compiled for this row */
	uint32_t nr_programs;
};

/* A trigger, as it is compiled for the records of one row of its event. */
struct trigger_program {
	uint32_t row;
	struct filter_program *filter;	/* compiled filter; NULL if the trigger has no
					 * filter, or if the filter does not fit the
					 * fields of this row */
	void *data;			/* data of the language (trigger_lang.compile);
					 * NULL if there are none, or if the trigger does
					 * not fit the fields of this row */
	uint32_t data_bytes;
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
/* Handle a read of events/SYS/EVENT/trigger: print the triggers of the event.  If there
 * are none, print the commands that its triggers may have. */
void triggers_show(const struct instance *instance, const struct event *event,
		   struct text *out);

/*
 * Print the part of a trigger that follows the name of its command: the target, if it
 * has one, and the count, as in ":sched:sched_switch:count=3" or ":unlimited".
 * @counter: value of trigger.counter.
 */
void trigger_show_rest(const struct instance *instance,
		       const struct trigger_cmd *cmd, const struct event *target,
		       uint32_t counter, struct text *out);

/*
 * Return @trigger as it was compiled for records of row @row.  Returns NULL if the
 * trigger does not fit the fields of this row; such a trigger never acts on these
 * records.
 */
const struct trigger_program *trigger_program(const struct trigger *trigger, uint32_t row);

/* ---- functions for the languages of commands (trigger_lang.h) ---- */

/*
 * Make a trigger of @event, without adding it yet, and compile its filter.  A mistake in the
 * filter is reported in error_log.
 * @filter: text of the filter, which is copied; NULL if there is none.
 * @state: value of trigger.state, which trigger_free() frees; if this function fails, the
 *   caller keeps it.
 * Returns 0, -EINVAL, -EBUSY (see filters_log_missed()), -ENOMEM or another error of
 * filter_compile().
 */
int trigger_make(struct instance *instance, const struct event *event,
		 const struct trigger_cmd *cmd, const char *filter, void *state,
		 struct trigger **ret_trigger);
/* Free a trigger that is not in the list of an event.  @trigger may be NULL. */
void trigger_free(struct trigger *trigger);
/*
 * Compile the data of @trigger, add it to @event, and publish the rules.  The caller must call
 * apply_start() afterwards.
 * @count: how often the trigger may run; UINT64_MAX if there is no limit.  Returns 0, -ENODEV
 * (the root is dead), -ENOSPC, -ENOMEM, -EINVAL (the trigger does not fit @event) or an error
 * of rules_publish().  After an error the caller still owns @trigger.
 */
int trigger_add(struct instance *instance, const struct event *event,
		struct trigger *trigger, uint64_t count);
/*
 * Remove @trigger from @event, publish the rules, and free it.  The caller must call
 * apply_start() afterwards.  Returns 0 or an error of rules_publish(); then the trigger stays.
 */
int trigger_remove(struct instance *instance, const struct event *event,
		   struct trigger *trigger);
/*
 * Compile the data of @trigger again, for all rows of @event.  The caller must call
 * rules_publish().  Returns 0, -ENOMEM or -EINVAL.  After an error some rows keep their
 * old data.
 */
int trigger_recompile(struct instance *instance, const struct event *event,
		      struct trigger *trigger);
/* Return the first trigger in the list of @event; NULL if the event has no triggers. */
struct trigger *triggers_first(const struct instance *instance, const struct event *event);
/*
 * Handle opening events/SYS/EVENT/trigger with O_TRUNC: remove the triggers of the commands
 * for which the kernel does so (trigger_lang.remove_all).  If *@ret_is_changed is true, the
 * caller must call apply_start().
 */
void triggers_truncate(struct instance *instance, const struct event *event,
		       bool *ret_is_changed);

/* ---- functions for triggers that are loaded or inherited ---- */

/*
 * Count @nr triggers (at least one) that a root gets without a write: they are loaded
 * from the previous server, or inherited by events of a new module.  Returns false, and
 * counts nothing, if this would exceed the root's limit; then the triggers must not be
 * added.
 */
bool triggers_may_add(struct root *root, uint64_t nr);
/*
 * Compile all triggers of @soft for @event, which is a new or loaded row.  Does nothing
 * if the root has reached its limit for compilations.
 */
void triggers_compile(struct instance *instance, struct soft_event *soft,
		      const struct event *event);
/* Free a list of triggers.  @triggers may be NULL. */
void triggers_free(struct trigger *triggers);

/*
 * Append @abi, a trigger that the previous server has published, to soft->triggers.
 * @event: a row of the event.
 * @filter: text of the trigger's filter, which is copied; NULL if there is none.
 * @more: @bytes bytes for trigger_lang.load; NULL if there are none.
 * An invalid trigger is skipped.
 */
void triggers_add_old(struct instance *instance, struct soft_event *soft,
		      const struct event *event, const struct abi_trigger *abi,
		      const char *filter, const void *more, uint32_t bytes);
/*
 * Complete the triggers that were loaded from the previous server: find the targets,
 * take references and compile the filters.  Triggers whose target does not exist are
 * removed.  Must be called after all triggers_add_old().
 */
void triggers_link_old(struct instance *instance);

#endif
