/* SPDX-License-Identifier: MIT */
/* Written names of functions.  The names of an object are demangled when one of them is
 * first needed. */
#include "server/functions/function_written.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/beat.h"
#include "server/core/instance.h"
#include "server/core/option_bits.h"
#include "server/functions/function_read.h"
#include "server/functions/function_search.h"
#include "server/functions/functions.h"
#include "symbols/function_name.h"
#include "symbols/parse_result.h"

/* ---- functions that prepare written names ---- */

static bool has_names(const struct function_object *object)
{
	for (uint32_t i = 0; i < object->sites.nr; i++)
		if (object->names[i] && !strncmp(object->names[i], "_Z", 2))
			return true;
	return false;
}

/*
 * Return the symbol from which function @at has its name, or NULL if it has no name.
 * @last: the symbol of the previous function; usually the symbol after @last is the right
 * one, so try this first.
 */
static const struct elf_symbol *find_symbol(const struct function_object *object,
					    uint32_t at, const struct elf_symbol *last)
{
	const struct elf_symbols *symbols = &object->symbols;
	const struct elf_symbol *symbol = last ? last + 1 : symbols->rows;

	if (symbol == symbols->rows + symbols->nr || symbol->name != object->names[at])
		symbol = elf_symbols_find(symbols, object->sites.addrs[at]);
	return symbol && symbol->name == object->names[at] ? symbol : NULL;
}

static void find_names(const struct function_object *object, const char **names)
{
	const struct elf_symbol *symbol = NULL;

	for (uint32_t at = 0; at < object->sites.nr; at++) {
		const char *plain;

		symbol = object->names[at] ? find_symbol(object, at, symbol) : NULL;
		plain = symbol ? parsed_plain(&object->symbols, symbol) : NULL;
		names[at] = plain ? function_name_shown(plain) : NULL;
	}
}

static int prepare_object(struct root *root, struct function_object *object)
{
	const char **names;
	int r = 0;

	if (object->is_written_known)
		return 0;
	if (!has_names(object)) {
		object->is_written_known = true;
		return 0;
	}
	r = function_read_demangle(root, object);
	if (r)
		return r;
	names = calloc(object->sites.nr + 1ul, sizeof(*names));
	if (!names)
		return -ENOMEM;
	find_names(object, names);
	r = name_index_init(&object->written_index, names, object->sites.nr);
	if (r) {
		free(names);
		return r;
	}
	object->written = names;
	object->is_written_known = true;
	beat();
	return 0;
}

/* Prepare the written names of all objects that @match can select.  Starts all parsers
 * that this needs before it returns -ERESTART. */
static int prepare_matching(struct root *root, const struct function_match *match,
			    uint32_t nr)
{
	const struct functions *functions = root_functions(root);
	int r = 0;

	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		struct function_object *object = functions->objects[i];
		int got = function_match_has(match, object, nr) ?
			  prepare_object(root, object) : 0;

		if (got && r != -ENOMEM)
			r = got;
	}
	return r;
}

int function_written_prepare(struct root *root)
{
	const struct function_match any = { .name = NULL };

	return prepare_matching(root, &any, root_functions(root)->nr);
}

const char *function_written_name(const struct function_object *object, uint32_t at)
{
	return object->written && object->written[at] ? object->written[at] :
							object->names[at];
}

static bool is_written(const struct instance *instance)
{
	return instance_options(instance) & OPTION_DEMANGLE;
}

const char *function_shown(const struct instance *instance, uint32_t nr,
			   const char **ret_module)
{
	const struct functions *functions = root_functions(instance->root);
	uint32_t at;
	const struct function_object *object = function_object(functions, nr, &at);

	if (!object || !is_written(instance))
		return function_name(functions, nr, ret_module);
	*ret_module = object->module;
	return function_written_name(object, at);
}

int function_shown_prepare(struct instance *instance)
{
	return is_written(instance) ? function_written_prepare(instance->root) : 0;
}

bool function_written_has(const struct functions *functions, const char *word, size_t len)
{
	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		const struct function_object *object = functions->objects[i];

		if (object->is_there &&
		    (name_index_find(&object->index, word, len, 0) ||
		     name_index_find(&object->written_index, word, len, 0)))
			return true;
	}
	return false;
}

/* ---- functions that select functions by written names and by clones ---- */

/*
 * Find the next function of @object that matches, after position @from.  A position is 1
 * + the index of a function; 0 is the position before the first function.  Returns 0 if
 * no more function matches.
 */
typedef uint32_t (*find_next)(const struct function_match *match,
			      const struct function_object *object, uint32_t from);

static uint32_t next_clone(const struct function_match *match,
			   const struct function_object *object, uint32_t from)
{
	for (uint32_t at = from; at < object->sites.nr; at++)
		if (object->names[at] &&
		    function_name_is_clone(object->names[at], match->name,
					   match->name_len))
			return at + 1;
	return 0;
}

static uint32_t next_shown(const struct function_match *match,
			   const struct function_object *object, uint32_t from)
{
	return name_index_find(&object->written_index, match->name, match->name_len, from);
}

static int select_by(struct root *root, const struct function_match *match, find_next next,
		     bool is_in, struct function_set *set)
{
	const struct functions *functions = root_functions(root);
	int found = 0;

	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		const struct function_object *object = functions->objects[i];

		if (!function_match_has(match, object, set->nr))
			continue;
		for (uint32_t at = 0; (at = next(match, object, at)); found++)
			function_set_put(set, object->first + at - 1, is_in);
		beat();
	}
	return found;
}

/* Return true if the name in @match has no wildcards, and only characters that a C name
 * can have. */
static bool is_c_name(const struct function_match *match)
{
	for (size_t i = 0; i < match->name_len; i++)
		if (strchr(":(< ", match->name[i]))
			return false;
	return match->is_whole;
}

int function_written_select(struct root *root, const struct function_match *match,
			    bool is_in, struct function_set *set)
{
	const uint32_t *numbers;
	int found = 0, r;

	if (is_c_name(match))
		found = select_by(root, match, next_clone, is_in, set);
	if (found)
		return found;
	r = prepare_matching(root, match, set->nr);
	if (r)
		return r;
	found = select_by(root, match, next_shown, is_in, set);
	if (found)
		return found;
	found = function_search(root, match, set->nr, &numbers);
	for (int i = 0; i < found; i++)
		function_set_put(set, numbers[i], is_in);
	return found;
}

int function_written_select_shown(struct root *root, const struct function_match *match,
				  bool is_in, struct function_set *set)
{
	return select_by(root, match, next_shown, is_in, set);
}
