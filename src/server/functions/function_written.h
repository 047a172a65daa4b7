/* SPDX-License-Identifier: MIT */
/*
 * Find functions by names that are not in the symbol table: C++ functions by their written
 * (demangled) names, clones of the compiler by the name in the source.  See
 * function_name.h.
 *
 * In this file "prepared" means that a parser has demangled the names of an object's
 * functions.  Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_FUNCTION_WRITTEN_H
#define ULF_SERVER_FUNCTION_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>

#include "server/functions/functions.h"

struct instance;

/* Sets of objects.  An extra library is one that no compiler has prepared for tracing. */
enum function_scope {
	SCOPE_ALL,
	SCOPE_USUAL,			/* all but extra libraries */
	SCOPE_EXTRA,			/* extra libraries */
};

/* A parsed entry of a list such as set_ftrace_filter: NAME[:mod:[!]MODULE]. */
struct function_match {
	const char *name;		/* name or glob of functions; no NUL follows it */
	size_t name_len;		/* bytes of @name */
	const char *module;		/* glob for names of modules; NULL if any module
					 * matches */
	bool is_other_module;		/* true: the entry selects all modules except
					 * @module */
	bool is_number;			/* true: the entry is a number, namely that of a
					 * line of available_filter_functions */
	uint32_t number;		/* number of the line of available_filter_functions,
					 * from 1 on; 0 if there is no such line */
	bool is_whole;			/* true: the name of the entry has no wildcards */
	enum function_scope scope;	/* set of objects whose functions the entry can
					 * select */
};

/* Return true if @match can select functions of the module to which @object belongs. */
bool function_match_has_module(const struct function_match *match,
			       const struct function_object *object);

/*
 * Return true if all of these hold: @object is loaded, @match can select functions of
 * @object, and the functions of @object have numbers below @nr, so that they can be in
 * a set of @nr functions.
 */
bool function_match_has(const struct function_match *match,
			const struct function_object *object, uint32_t nr);
/* Add function @nr to @set if @is_in is true; otherwise remove it from @set. */
void function_set_put(struct function_set *set, uint32_t nr, bool is_in);

/*
 * function_written_select - find functions by name, and add them to @set or remove them from it
 * @is_in: true to add the functions, false to remove them
 *
 * Called for a name that is not a raw name.  Tries the following kinds of names in this order,
 * and stops at the first kind that matches any function: clones; names as lists show them;
 * each enum function_rung.  Returns the number of functions found; or -ENOMEM.  Returns
 * -ERESTART if names are still being demangled or searched: then @set is unchanged, and the
 * caller must call again later.
 */
int function_written_select(struct root *root, const struct function_match *match,
			    bool is_in, struct function_set *set);
/*
 * Select functions as function_written_select() does, but only by names as lists show
 * them, and only in objects that are prepared.  This is fast, because it uses an index.
 * Returns the number of functions found.
 */
int function_written_select_shown(struct root *root, const struct function_match *match,
				  bool is_in, struct function_set *set);

/*
 * Prepare the names of all functions that are loaded, so that written names are known.
 * Returns 0; -ERESTART if a parser is working, so that the caller must call again later;
 * or -ENOMEM.
 */
int function_written_prepare(struct root *root);
/*
 * Return the written name of function number @at of @object.  If there is no written
 * name, or if the object is not prepared, returns the raw name.  Returns NULL if the
 * function has no name at all.
 */
const char *function_written_name(const struct function_object *object, uint32_t at);
/*
 * Return the name of function @nr as lists of @instance show it.  This is the written name
 * if the option demangle is on, else the raw name.  Returns NULL if the function has no
 * name.  @ret_module: see function_name().
 */
const char *function_shown(const struct instance *instance, uint32_t nr,
			   const char **ret_module);
/* If lists of @instance show written (demangled) names, call function_written_prepare()
 * and return its result. */
int function_shown_prepare(struct instance *instance);
/*
 * Return true if @word is the raw or the written name of a function that is loaded.  Only
 * objects that are prepared are searched for written names.  This is fast, because it
 * uses an index.
 */
bool function_written_has(const struct functions *functions, const char *word, size_t len);

#endif
