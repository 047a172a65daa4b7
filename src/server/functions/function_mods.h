/* SPDX-License-Identifier: MIT */
/*
 * What set_ftrace_filter and set_ftrace_notrace were told of modules that are not
 * loaded: FUNCTIONS:mod:MODULE is done when the module comes.  Until then a filter with
 * nothing else in it lets no function through.
 */
#ifndef ULF_SERVER_FUNCTION_MODS_H
#define ULF_SERVER_FUNCTION_MODS_H

#include <stdbool.h>

#include "server/functions/functions.h"

struct instance;
struct root;
struct text;

struct function_mod {
	struct function_mod *next;	/* an older one */
	enum function_list list;
	char *glob;
	char *module;
};

/* @glob, with ! to take it away, of a module that has no such function now.  -EINVAL
 * if it is loaded, or there is none to be taken away. */
int function_mods_store(struct instance *instance, enum function_list list,
			const char *glob, const char *module);
void function_mods_show(const struct instance *instance, enum function_list list,
			struct text *out);
/* Forget those of a list; or all of them. */
int function_mods_clear(struct instance *instance, enum function_list list);
void function_mods_done(struct instance *instance);
/* Do what can be done by now.  -ENOMEM */
int function_mods_come(struct root *root);

/* As a text of lines, for the next server; and its lines back. */
void function_mods_put(const struct instance *instance, struct text *out);
void function_mods_load(struct instance *instance, char *text);

#endif
