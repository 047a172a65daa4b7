/* SPDX-License-Identifier: MIT */
/*
 * Find functions by names that are not in the symbol table: functions of C++ by their names as
 * they are written, clones of the compiler by the name in the source.  See function_name.h.
 */
#ifndef ULF_SERVER_FUNCTION_WRITTEN_H
#define ULF_SERVER_FUNCTION_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "server/functions/functions.h"

struct instance;

/* A word of a list, taken apart. */
struct function_match {
	const char *name;
	size_t name_len;
	const char *module;		/* NULL: any */
	bool is_other_module;		/* any but that one */
	bool is_number;			/* a line of available_filter_functions */
	uint32_t number;		/* of the line, from 1 on; 0: no such line */
	bool is_whole;			/* the name has no wildcards */
};

/* Can @match select functions of @object, and do sets of @nr functions contain them? */
bool function_match_has(const struct function_match *match,
			const struct function_object *object, uint32_t nr);
void function_set_put(struct function_set *set, uint32_t nr, bool is_in);

/*
 * function_written_select - put functions into the set, or take them out, by name
 *
 * For a word that no raw name matches.  The first of these that matches any function
 * counts: clones; names as lists show them; then enum function_rung.  Returns how many
 * there were; -ERESTART: names are still being demangled or searched, and the set is as it
 * was, so try again; -ENOMEM.
 */
int function_written_select(struct root *root, const struct function_match *match,
			    bool is_in, struct function_set *set);
/* Only for names as lists show them, and as far as they are prepared.  Takes no time. */
int function_written_select_shown(struct root *root, const struct function_match *match,
				  bool is_in, struct function_set *set);

/* Have the names of all functions that are there demangled.  -ERESTART, -ENOMEM */
int function_written_prepare(struct root *root);
/* The name of a function as it is written, as far as that is prepared and it has one; else
 * its raw name.  NULL: none. */
const char *function_written_name(const struct function_object *object, uint32_t at);
/* The name of function @nr as lists of @instance show it: as it is written, if the option
 * demangle is on.  NULL: none.  @ret_module: as function_name(). */
const char *function_shown(const struct instance *instance, uint32_t nr,
			   const char **ret_module);
/* function_written_prepare() if lists of @instance need it. */
int function_shown_prepare(struct instance *instance);
/* Is @word the name of a function, raw or as it is written?  Takes no time; false for
 * names that are not prepared. */
bool function_written_has(const struct functions *functions, const char *word, size_t len);

#endif
