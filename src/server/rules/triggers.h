/* SPDX-License-Identifier: MIT */
/* The triggers of events: the `trigger` files. */
#ifndef ULF_SERVER_TRIGGERS_H
#define ULF_SERVER_TRIGGERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/rules.h"

#define TRIGGERS_MAX	1024u		/* of an event, in an instance */

struct event;
struct filter_program;
struct instance;
struct root;
struct soft_event;
struct text;

/* A command: the words that a `trigger` file knows. */
struct trigger_cmd {
	const char *name;
	enum abi_command command;
	/* An event has one trigger of a kind, or one of a kind and target. */
	enum trigger_kind {
		TRIGGER_ONOFF, TRIGGER_SNAPSHOT, TRIGGER_STACKTRACE,
		TRIGGER_ENABLE, TRIGGER_DUMP,
	} kind;
	const char *help;		/* for README */
	bool has_target;		/* system:event must follow it */
	bool is_function_only;		/* no event has it */
	/* What the instance needs before there is one.  Optional. */
	int (*need)(struct instance *instance);
};

extern const struct trigger_cmd trigger_cmds[];
extern const uint32_t nr_trigger_cmds;
/* NULL: there is none. */
const struct trigger_cmd *trigger_cmd_find(const char *name);
const struct trigger_cmd *trigger_cmd_of(uint32_t command);

/* Not each makes sense for a marker, and some are for functions alone. */
bool trigger_has_cmd(const struct event *event, const struct trigger_cmd *cmd);

struct trigger {
	struct trigger *next;		/* an older one of the event's */
	const struct trigger_cmd *cmd;
	uint32_t counter;		/* slot + 1; 0: no limit */
	uint32_t target_row;		/* the target's first */
	struct soft_event *target;
	char *filter;			/* as written; NULL: none */
	struct trigger_program *programs;	/* by row */
	uint32_t nr_programs;
};

/* The filter for the records of one row.  NULL: it does not fit them, and the
 * trigger never acts there. */
struct trigger_program {
	uint32_t row;
	struct filter_program *program;
};

/*
 * What was written to the `trigger` of an event: the kernel's words, and its errno
 * for each mistake.  Unless *@ret_is_changed is false, the processes are to be
 * told.
 */
int triggers_store(struct instance *instance, const struct event *event,
		   const char *data, size_t bytes, bool *ret_is_changed);
void triggers_show(const struct instance *instance, const struct event *event,
		   struct text *out);

/* What stands behind the command. */
void trigger_show_rest(const struct instance *instance,
		       const struct trigger_cmd *cmd, const struct event *target,
		       uint32_t counter, struct text *out);

/* Can @trigger act on records of @row?  If so, *@ret_program is its filter, or NULL. */
static inline bool trigger_fits(const struct trigger *trigger, uint32_t row,
				const struct filter_program **ret_program)
{
	*ret_program = NULL;
	for (uint32_t i = 0; i < trigger->nr_programs; i++)
		if (trigger->programs[i].row == row)
			*ret_program = trigger->programs[i].program;
	return !trigger->filter || *ret_program;
}
/* May a root have triggers for @nr more rows that nobody has set?  Counts them. */
bool triggers_may_add(struct root *root, uint64_t nr);
/* Filters for an event that is new. */
void triggers_compile(struct instance *instance, struct soft_event *soft,
		      const struct event *event);
void triggers_free(struct trigger *triggers);

/* One of the last server's, behind those that there are. */
void triggers_add_old(struct instance *instance, struct soft_event *soft,
		      const struct abi_trigger *abi, const char *filter);
/* When all are there. */
void triggers_link_old(struct instance *instance);

#endif
