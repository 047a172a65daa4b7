/* SPDX-License-Identifier: MIT */
/*
 * Which files without a compiler's table of function sites are analysed, and when.
 *
 * The program itself is analysed when functions are first needed.  A library is analysed when
 * its functions are needed: if a list is read, if a filter names a function that no other
 * object has, or if the option all-objects is on.  So a user who traces a program does not
 * wait for the analysis of libc.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_FUNCTION_NEED_H
#define ULF_SERVER_FUNCTION_NEED_H

#include <stdbool.h>

struct function_match;
struct function_object;
struct instance;
struct root;

/* Return true if @object is a library that no compiler has prepared.  A tracer without a
 * filter does not trace the functions of such a library. */
bool function_object_is_extra(const struct function_object *object);
/*
 * Return true if available_filter_functions of @instance lists the functions of @object.
 * Functions of libraries that no compiler has prepared are listed only if the option
 * all-objects is on.
 */
bool function_object_is_listed(const struct function_object *object,
			       const struct instance *instance);
/* Return true if the option all-objects is on in @instance. */
bool functions_take_all(const struct instance *instance);
/* Return true if @object must be analysed before its functions are known: it is loaded,
 * can be analysed, and has not been analysed yet. */
bool function_object_must_be_analysed(const struct function_object *object);
/* Return true if the boot settings of @root ask for system calls, or if a process looks for
 * functions by name.  Then all objects are analysed, and the block of functions names them. */
bool functions_want_all(const struct root *root);
/* Look whether a process looks for functions by name, for functions_want_all(). */
void functions_see_wants(struct root *root);
/* Return true if the code of @plain, an object whose member @can_move is set, must be
 * analysed now. */
bool functions_must_move(const struct root *root, const struct function_object *plain);
/* Return true if an object of @module is loaded and has functions, or has been analysed. */
bool functions_know_module(const struct root *root, const char *module);

/*
 * functions_need - analyse the libraries whose functions @match could select
 * @match: NULL stands for all libraries
 *
 * Returns 0 if all are analysed; -ERESTART if files are still being parsed, so that the caller
 * must call again later; or -ENOMEM.
 */
int functions_need(struct root *root, const struct function_match *match);
/* Find objects as functions_refresh() does, and also analyse all libraries. */
int functions_refresh_all(struct root *root);
/* Find objects as functions_refresh() does, and also analyse the libraries whose
 * functions available_filter_functions of @instance lists. */
int functions_refresh_listed(const struct instance *instance);

/*
 * Called when the option all-objects of @instance has changed.  If functions are traced,
 * publishes them again.  The caller must call apply_start() afterwards.  Returns 0,
 * -ERESTART or another -errno.
 */
int functions_option_changed(struct instance *instance);

#endif
