/* SPDX-License-Identifier: MIT */
/*
 * The commands of functions: FUNCTION:COMMAND[:COUNT] in set_ftrace_filter.  A
 * function's command runs at each call of the function, as an event's trigger runs at
 * each hit of the event.  Processes run the commands.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_FUNCTION_PROBES_H
#define ULF_SERVER_FUNCTION_PROBES_H

#include <stdbool.h>
#include <stdint.h>

#include "server/functions/functions.h"

struct abi_probes;
struct soft_event;
struct text;
struct trigger_cmd;

/* A function that has the command of a struct function_probe. */
struct function_probe_entry {
	uint32_t function;		/* number of the function */
	uint32_t counter;		/* 1 + number of the rule word that counts how
					 * often the command may still run; 0 if the
					 * command always runs */
	uint32_t target_row;		/* row of the target event in the table of
					 * events, if the command has a target */
	struct soft_event *target;	/* soft mode of the target event, of which the
					 * entry holds a reference; NULL if there is no
					 * target */
};

/*
 * One command with the functions that have it.  Either all of these functions have a
 * count, or none has.  As in the kernel, a function can have a command only once, even
 * if the target events differ.
 */
struct function_probe {
	struct function_probe *next;	/* next older command of the instance; NULL if
					 * this is the oldest one */
	const struct trigger_cmd *cmd;
	bool is_counted;
	uint32_t nr;			/* number of entries */
	struct function_probe_entry *entries;	/* sorted by function */
};

/* Walk over the commands of @instance, newest first.  The loop declares @probe. */
#define for_each_function_probe(probe, instance)				\
	for (const struct function_probe *probe = instance_functions(instance)->probes; \
	     probe; probe = probe->next)

/* Several globs for names of functions, stored one after the other, each with a NUL at
 * its end. */
struct probe_globs {
	const char *first;
	const char *end;		/* address after the NUL of the last glob */
};

/*
 * Add @command to the functions that match @globs.  If there is an error, no function
 * gets the command.  If the first glob begins with '!', remove the command from the
 * functions that match this glob.
 * @param: text after the command (target and count), or NULL; it is changed.
 *
 * The caller must call apply_start() after success.  Returns 0; -EINVAL if the command
 * is wrong or a glob matches no function; -ENODEV if the root is dead or no function
 * has the command that is removed; -ERESTART if names are still being demangled or
 * searched, so that the caller must call again later; or another -errno.
 */
int function_probes_store(struct instance *instance, const struct probe_globs *globs,
			  const char *command, char *param);
/* Print the commands of all functions that are loaded, one command of one function per
 * line. */
void function_probes_show(const struct instance *instance, struct text *out);
/* Free all commands of functions of @instance, without a change of shared memory. */
void function_probes_done(struct instance *instance);
/* Return the number of commands that function @nr has in all instances. */
uint32_t function_probes_of(const struct root *root, uint32_t nr);
/* Return true if a function of @object has a command in @instance. */
bool function_probes_are_in(const struct instance *instance,
			    const struct function_object *object);
/*
 * Set ABI_FUNCTIONS_PROBES in @users for each function of @object that has a command in
 * any instance.  @users: words with bits of abi/functions.h, one for each row of the
 * object's table of function sites.
 */
void function_probes_mark(const struct root *root,
			  const struct function_object *object, uint32_t *users);
/*
 * Add to the command @cmd the entry @entry, which the previous server has published.  The
 * entries of a command must be added in the order of their functions.  Returns 0, -EINVAL
 * (wrong order) or -ENOMEM.
 */
int function_probes_add_old(struct instance *instance,
			    const struct trigger_cmd *cmd,
			    const struct function_probe_entry *entry);

/* ---- functions that are defined in function_probes_block.c ---- */

/* Append the commands of functions to @block, the block of rules, in the form of struct
 * abi_probes. */
void function_probes_put(const struct instance *instance, struct text *block);
/*
 * Load the commands of functions that the previous server has published.  The caller
 * must have checked that @list lies completely in the block.  Functions and soft
 * events must be loaded before.
 */
void function_probes_load(struct instance *instance,
			  const struct abi_probes *list);

#endif
