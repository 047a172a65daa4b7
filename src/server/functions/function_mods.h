/* SPDX-License-Identifier: MIT */
/*
 * Entries FUNCTIONS:mod:MODULE of set_ftrace_filter and set_ftrace_notrace whose
 * module is not loaded.  These entries wait, and are applied when their module is
 * loaded.  Until then, a set_ftrace_filter that has no other entry selects no
 * function.
 *
 * Only the server's thread calls these functions.  Functions that return int return 0 or
 * -errno.
 */
#ifndef ULF_SERVER_FUNCTION_MODS_H
#define ULF_SERVER_FUNCTION_MODS_H

#include <stdbool.h>

#include "server/functions/functions.h"

struct instance;
struct root;
struct text;

/* An entry of a list of functions that waits for its module. */
struct function_mod {
	struct function_mod *next;	/* next older waiting entry; NULL if this is the
					 * oldest one */
	enum function_list list;	/* list to which the entry belongs:
					 * FUNCTION_FILTER or FUNCTION_NOTRACE */
	char *glob;			/* name or glob of the functions that the entry
					 * selects */
	char *module;
};

/* Walk over the waiting entries of @instance, newest first.  The loop declares @mod. */
#define for_each_function_mod(mod, instance)					\
	for (const struct function_mod *mod = instance_functions(instance)->mods; \
	     mod; mod = mod->next)

/*
 * Add the waiting entry @glob:mod:@module to @list; if @glob begins with '!', remove
 * this entry instead.  Then publish the rules.  Returns 0; -EINVAL if the module is
 * loaded, or if there is no such entry to remove; or an error of rules_publish().
 */
int function_mods_store(struct instance *instance, enum function_list list,
			const char *glob, const char *module);
/* Print the waiting entries of @list, one per line. */
void function_mods_show(const struct instance *instance, enum function_list list,
			struct text *out);
/* Remove all waiting entries of @list, and publish the rules. */
int function_mods_clear(struct instance *instance, enum function_list list);
/* Free all waiting entries of @instance, without a change of shared memory. */
void function_mods_done(struct instance *instance);
/*
 * In all instances, apply each waiting entry whose module is loaded now, and remove
 * the entry.  Returns 0; -ERESTART if names are still being demangled or searched, so
 * that the caller must call again later; -ENOMEM or an error of rules_publish().
 */
int function_mods_come(struct root *root);

/* Print all waiting entries of @instance for the next server, one per line: 'f' or 'n'
 * for the list, then the entry. */
void function_mods_put(const struct instance *instance, struct text *out);
/* Add the waiting entries that @text contains. function_mods_put() of the previous server
 * has printed @text.  The function changes @text. */
void function_mods_load(struct instance *instance, char *text);

#endif
