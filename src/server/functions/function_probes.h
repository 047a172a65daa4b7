/* SPDX-License-Identifier: MIT */
/*
 * The commands of functions: FUNCTION:COMMAND[:COUNT] in set_ftrace_filter.  They are
 * the triggers of functions, and are run where those of events are.
 */
#ifndef ULF_SERVER_FUNCTION_PROBES_H
#define ULF_SERVER_FUNCTION_PROBES_H

#include <stdbool.h>
#include <stdint.h>

struct abi_probes;
struct function_object;
struct instance;
struct root;
struct soft_event;
struct text;
struct trigger_cmd;

struct function_probe_entry {
	uint32_t function;		/* its number */
	uint32_t counter;		/* slot + 1; 0: no limit */
	uint32_t target_row;		/* the target's first */
	struct soft_event *target;
};

/* One command, with counts or without.  As in the kernel a function has it once,
 * whichever event it is to switch. */
struct function_probe {
	struct function_probe *next;	/* an older one */
	const struct trigger_cmd *cmd;
	bool is_counted;
	uint32_t nr;
	struct function_probe_entry *entries;	/* by function */
};

/* One after the other, each with a NUL behind it. */
struct probe_globs {
	const char *first;
	const char *end;
};

/* @globs get @command, all or none; or a single one, which begins with !, loses it.
 * @param: what stands behind, or NULL.  Cuts it.  Then the processes are to be told. */
int function_probes_store(struct instance *instance, const struct probe_globs *globs,
			  const char *command, char *param);
void function_probes_show(const struct instance *instance, struct text *out);
void function_probes_done(struct instance *instance);
/* How many has function @nr, in all instances? */
uint32_t function_probes_of(const struct root *root, uint32_t nr);
/* Those of the object's functions that have any: as in abi/functions.h, where
 * @users are those of the object's rows. */
void function_probes_mark(const struct root *root,
			  const struct function_object *object, uint32_t *users);
/* One of the last server's: those of a command one after the other, by function.
 * -EINVAL: they are not. */
int function_probes_add_old(struct instance *instance,
			    const struct trigger_cmd *cmd,
			    const struct function_probe_entry *entry);

/* ---- function_probes_piece.c ---- */

/* As they are in the shared memory. */
void function_probes_put(const struct instance *instance, struct text *piece);
/* Those of the last server, of which all of @list is there; functions and soft events
 * were loaded. */
void function_probes_load(struct instance *instance,
			  const struct abi_probes *list);

#endif
