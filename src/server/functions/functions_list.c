/* SPDX-License-Identifier: MIT */
/* The lists of functions of each instance, and the functions that an entry of a list names. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "server/core/beat.h"
#include "server/core/instance.h"
#include "server/functions/function_need.h"
#include "server/functions/function_written.h"
#include "server/functions/functions.h"
#include "symbols/function_name.h"

/* ---- functions for the lists of functions and for sets of functions ---- */

bool function_is_in(const struct instance *instance, enum function_list list,
		    uint32_t nr)
{
	const struct functions *functions = root_functions(instance->root);

	return nr < functions->nr &&
	       functions->lists[list][nr] >> instance->number & 1;
}

void functions_put(struct functions *functions, enum function_list list,
		   uint32_t buffer, uint32_t nr, bool is_in)
{
	uint16_t *word = &functions->lists[list][nr];

	if ((*word >> buffer & 1) == is_in)
		return;
	*word ^= (uint16_t)(1u << buffer);
	functions->in_list[list][buffer] += is_in ? 1 : -1u;
}

struct function_set *function_set_new(const struct functions *functions)
{
	struct function_set *set = calloc(1, sizeof(*set));

	if (set && function_set_grow(functions, set)) {
		free(set);
		return NULL;
	}
	return set;
}

int function_set_grow(const struct functions *functions, struct function_set *set)
{
	bool *has = realloc(set->has, functions->nr + 1ul);

	if (!has)
		return -ENOMEM;
	memset(has + set->nr, 0, functions->nr - set->nr);
	set->has = has;
	set->nr = functions->nr;
	return 0;
}

void function_set_free(struct function_set *set)
{
	if (!set)
		return;
	free(set->has);
	free(set);
}

void functions_list_get(const struct instance *instance, enum function_list list,
			struct function_set *set)
{
	const uint16_t *bits = root_functions(instance->root)->lists[list];

	set->nr_has = 0;
	for (uint32_t nr = 0; nr < set->nr; nr++) {
		set->has[nr] = bits[nr] >> instance->number & 1;
		set->nr_has += set->has[nr];
	}
}

void functions_list_set(struct instance *instance, enum function_list list,
			const struct function_set *set)
{
	uint16_t *bits = root_functions(instance->root)->lists[list];
	uint32_t number = instance->number, old = 0;

	for (uint32_t nr = 0; nr < set->nr; nr++) {
		old += bits[nr] >> number & 1;
		bits[nr] = (uint16_t)((bits[nr] & ~(1u << number)) |
				      (uint32_t)set->has[nr] << number);
	}
	root_functions(instance->root)->in_list[list][number] += set->nr_has - old;
}

/* ---- functions that parse the entries of a list ---- */

/* Parse the number of a line of available_filter_functions.  As in the kernel, every text
 * that begins with a digit is a number, even 0x1f and 3*, and a module after it is ignored. */
static void parse_number(const char *word, struct function_match *match)
{
	unsigned long number = strtoul(word, NULL, 0);

	match->is_number = isdigit((unsigned char)*word);
	match->number = number <= UINT32_MAX ? (uint32_t)number : 0;
}

static int parse_match(const char *word, struct function_match *match)
{
	const char *colon = function_word_colon(word, strlen(word));

	*match = (struct function_match){
		.name = word,
		.name_len = colon ? (size_t)(colon - word) : strlen(word),
	};
	if (colon && strcmp(colon, ":mod")) {
		if (strncmp(colon, ":mod:", 5))
			return -EINVAL;
		match->module = colon + 5;
		match->is_other_module = *match->module == '!';
		match->module += match->is_other_module;
	}
	parse_number(word, match);
	match->is_whole = match->name_len &&
			  strcspn(word, GLOB_WILDCARDS) >= match->name_len;
	return 0;
}

/* An empty pattern for modules matches every module, but not the program. */
bool function_match_has_module(const struct function_match *match,
			       const struct function_object *object)
{
	const char *module = match->module;
	bool is_in;

	if (!module)
		return true;
	is_in = object->module &&
		(!*module || glob_match_n(module, strlen(module), object->module));
	return is_in != match->is_other_module;
}

static bool is_in_scope(const struct function_match *match,
			const struct function_object *object)
{
	return match->scope == SCOPE_ALL ||
	       function_object_is_extra(object) == (match->scope == SCOPE_EXTRA);
}

/* Check @nr, too: functions of objects that were found after the set was made cannot be
 * in the set. */
bool function_match_has(const struct function_match *match,
			const struct function_object *object, uint32_t nr)
{
	return object->is_there && object->first + object->sites.nr <= nr &&
	       is_in_scope(match, object) && function_match_has_module(match, object);
}

/*
 * Find the next function of @object that matches, after position @from.  A position is 1
 * + the index of a function; 0 is the position before the first function.  Returns 0 if
 * no more function matches.  With a module, an empty name matches all functions.
 */
static uint32_t next_match(const struct function_match *match,
			   const struct function_object *object, uint32_t from)
{
	if (match->is_whole)
		return name_index_find(&object->index, match->name,
				       match->name_len, from);
	for (uint32_t at = from; at < object->sites.nr; at++)
		if (object->names[at] &&
		    ((match->module && !match->name_len) ||
		     glob_match_n(match->name, match->name_len, object->names[at])))
			return at + 1;
	return 0;
}

void function_set_put(struct function_set *set, uint32_t nr, bool is_in)
{
	set->nr_has += (uint32_t)is_in - set->has[nr];
	set->has[nr] = is_in;
}

static int select_in(const struct function_match *match,
		     const struct function_object *object, bool is_in,
		     struct function_set *set)
{
	int found = 0;

	for (uint32_t at = 0; (at = next_match(match, object, at)); found++)
		function_set_put(set, object->first + at - 1, is_in);
	beat();
	return found;
}

/* Select the function in line @number of available_filter_functions. */
static int select_number(const struct instance *instance, uint32_t number, bool is_in,
			 struct function_set *set)
{
	const struct functions *functions = root_functions(instance->root);
	uint32_t first = 1;		/* number of the line in
					 * available_filter_functions that shows the
					 * object's first function */

	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		const struct function_object *object = functions->objects[i];
		uint32_t at = number - first;

		if (!function_object_is_listed(object, instance) ||
		    object->first + object->sites.nr > set->nr)
			continue;
		first += object->sites.nr;
		if (at < object->sites.nr) {
			function_set_put(set, object->first + at, is_in);
			return 1;
		}
	}
	return 0;
}

static int select_raw(const struct functions *functions,
		      const struct function_match *match, bool is_in,
		      struct function_set *set)
{
	int found = 0;

	for (uint32_t i = 0; i < functions->nr_objects; i++)
		if (function_match_has(match, functions->objects[i], set->nr))
			found += select_in(match, functions->objects[i], is_in, set);
	return found;
}

/* Select functions by name in those objects that belong to match->scope. */
static int select_in_scope(struct root *root, const struct function_match *match, bool is_in,
			   struct function_set *set)
{
	int found = 0;

	/*
	 * Try the index first for a name with parameters, such as f(char*).  Such a name
	 * probably is a written name, although it looks like a glob.  A search for it as a
	 * glob would be slow.
	 */
	if (!match->is_whole && match->name_len && memchr(match->name, '(', match->name_len))
		found = function_written_select_shown(root, match, is_in, set);
	if (!found)
		found = select_raw(root_functions(root), match, is_in, set);
	return found || !match->name_len ? found :
	       function_written_select(root, match, is_in, set);
}

/* Of the libraries that no compiler has prepared, analyse those that @match could select.
 * Make space for their functions in @set. */
static int need_extra(struct root *root, const struct function_match *match,
		      struct function_set *set)
{
	int r = functions_need(root, match);

	return r ? r : function_set_grow(root_functions(root), set);
}

/*
 * Add the functions that @match selects to @set.
 *
 * A name selects functions of the program, and of objects that were prepared by a compiler.
 * Only if they have no such function, the name selects functions of other libraries.  So
 * `get*` selects what available_filter_functions lists, and `malloc` is found although it is
 * not in this list.  With a module, or with the option all-objects, the name always selects
 * functions of all libraries.
 */
static int add_matching(struct instance *instance, struct function_match *match,
			struct function_set *set)
{
	struct root *root = instance->root;
	bool is_all = functions_take_all(instance) ||
		      (match->module && !match->is_other_module);
	int r;

	if (!is_all) {
		match->scope = SCOPE_USUAL;
		r = select_in_scope(root, match, true, set);
		if (r)
			return r;
		match->scope = SCOPE_EXTRA;
	}
	r = need_extra(root, match, set);
	return r ? r : select_in_scope(root, match, true, set);
}

int functions_select(struct instance *instance, const char *word, bool is_in,
		     struct function_set *set)
{
	struct root *root = instance->root;
	struct function_match match;
	int r = parse_match(word, &match);

	if (r)
		return r;
	if (match.is_number)
		return select_number(instance, match.number, is_in, set);
	/* Removing functions needs no analysis of libraries: a function in the list
	 * belongs to an object that was analysed before. */
	return is_in ? add_matching(instance, &match, set) :
		       select_in_scope(root, &match, false, set);
}
