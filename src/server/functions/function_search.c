/* SPDX-License-Identifier: MIT */
/* Search for written names of functions; see function_search.h. */
#include "server/functions/function_search.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/core/beat.h"
#include "server/core/budget.h"
#include "server/functions/function_written.h"
#include "server/functions/functions.h"
#include "symbols/function_name.h"

#define SEARCHES_MAX	512u		/* maximum number of searches whose results are
					 * kept; boot settings name fewer functions */
#define FOUND_MAX	(4u << 20)	/* maximum number of functions that the results of
					 * all searches contain together */
#define CHECK_EVERY	8u		/* number of names that are compared between two
					 * checks of the budget; a comparison takes about
					 * 1 us, in rare cases 1 ms */

/* A search for a written name that is in progress, or its result. */
struct function_search {
	struct function_search *next;	/* next search in the list, which was last used
					 * before this one */
	char *key;			/* name and module for which this search is made;
					 * see make_key() */
	size_t key_len;			/* bytes of @key */
	uint64_t objects;		/* value of sum_objects() when the search began;
					 * the result is valid while this sum does not
					 * change */
	uint32_t object, at;		/* where the search continues: number of an
					 * object, and index of a function in this object */
	enum function_rung rung;	/* rung (quality of the match) of all functions in
					 * @found */
	uint32_t *found;		/* numbers of the functions that were found */
	uint32_t nr, cap;		/* number of elements of @found that are in use,
					 * and number of elements that are allocated */
};

static void free_search(struct function_search *search)
{
	free(search->key);
	free(search->found);
	free(search);
}

void function_searches_done(struct functions *functions)
{
	struct function_search *search;

	while ((search = functions->searches)) {
		functions->searches = search->next;
		free_search(search);
	}
}

/* ---- functions for the list of searches ---- */

static uint64_t mix_hash(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * 0x9e3779b97f4a7c15 + (sum >> 29);
}

/* Return a checksum of the objects, which changes when functions or their names
 * change. */
static uint64_t sum_objects(const struct functions *functions)
{
	uint64_t sum = functions->nr;

	for (uint32_t i = 0; i < functions->nr_objects; i++) {
		const struct function_object *object = functions->objects[i];

		sum = mix_hash(sum, (uintptr_t)object);
		sum = mix_hash(sum, (uint64_t)object->first << 32 | object->sites.nr);
		sum = mix_hash(sum, (uint64_t)object->is_there << 1 | object->is_written_known);
	}
	return sum;
}

static void make_key(const struct function_match *match, uint32_t nr, struct text *key)
{
	text_printf(key, "%u %d%d", nr, match->module != NULL, match->is_other_module);
	text_puts(key, match->module ? match->module : "");
	text_putc(key, '\0');
	text_write(key, match->name, match->name_len);
}

/* Remove the search with the key @key from the list and return it.  Returns NULL if there is no
 * such search. */
static struct function_search *take_search(struct functions *functions,
					   const struct text *key)
{
	struct function_search **at = &functions->searches, *search;

	for (; (search = *at); at = &search->next)
		if (search->key_len == key->len &&
		    !memcmp(search->key, key->data, key->len)) {
			*at = search->next;
			return search;
		}
	return NULL;
}

/* Insert @search as the first one of the list.  If there are too many searches, free
 * those that were not used for the longest time. */
static void put_search(struct functions *functions, struct function_search *search)
{
	struct function_search **at = &functions->searches, *old;
	uint32_t nr = 0, found = 0;

	search->next = functions->searches;
	functions->searches = search;
	while ((old = *at)) {
		found += old->nr < FOUND_MAX ? old->nr : FOUND_MAX;
		if (old != search && (++nr >= SEARCHES_MAX || found > FOUND_MAX)) {
			*at = old->next;
			free_search(old);
		} else {
			at = &old->next;
		}
	}
}

static void restart_search(struct function_search *search, uint64_t objects)
{
	search->objects = objects;
	search->object = search->at = search->nr = 0;
	search->rung = RUNG_NONE;
}

static struct function_search *get_search(struct functions *functions,
					  const struct function_match *match, uint32_t nr)
{
	uint64_t objects = sum_objects(functions);
	struct function_search *search;
	struct text key;

	text_init(&key, 64 + match->name_len + (match->module ? strlen(match->module) : 0));
	make_key(match, nr, &key);
	search = key.error ? NULL : take_search(functions, &key);
	if (!search && !key.error) {
		search = calloc(1, sizeof(*search));
		if (search) {
			search->key = key.data;
			search->key_len = key.len;
			restart_search(search, objects);
			return search;
		}
	}
	text_done(&key);
	if (search && search->objects != objects)
		restart_search(search, objects);
	return search;
}

/* ---- functions that search for a name ---- */

static int add_found(struct function_search *search, enum function_rung rung, uint32_t nr)
{
	if (rung < search->rung) {
		search->rung = rung;
		search->nr = 0;
	}
	if (search->nr == search->cap) {
		uint32_t cap = search->cap ? 2 * search->cap : 16;
		uint32_t *found = realloc(search->found, cap * sizeof(*found));

		if (!found)
			return -ENOMEM;
		search->found = found;
		search->cap = cap;
	}
	search->found[search->nr++] = nr;
	return 0;
}

/* Compare the written names of one object, from index search->at on, with @pattern.
 * Returns -ERESTART if the budget is spent. */
static int search_object(struct function_search *search,
			 const struct function_pattern *pattern,
			 const struct function_object *object, const struct budget *budget)
{
	int r = 0;

	for (; object->written && !r && search->at < object->sites.nr; search->at++) {
		const char *name = object->written[search->at];
		enum function_rung rung = name ? function_pattern_match(pattern, name) :
						 RUNG_NONE;

		if (rung != RUNG_NONE && rung <= search->rung)
			r = add_found(search, rung, object->first + search->at);
		if (!r && search->at % CHECK_EVERY == CHECK_EVERY - 1 &&
		    budget_is_spent(budget))
			r = -ERESTART;
	}
	return r;
}

static int go_on(struct root *root, struct function_search *search,
		 const struct function_match *match, uint32_t nr)
{
	struct functions *functions = root_functions(root);
	struct function_pattern pattern;
	int r = 0;

	if (!function_pattern_init(&pattern, match->name, match->name_len))
		search->object = functions->nr_objects;
	budget_start(&functions->search_budget);
	while (!r && search->object < functions->nr_objects) {
		const struct function_object *object = functions->objects[search->object];

		if (function_match_has(match, object, nr))
			r = search_object(search, &pattern, object,
					  &functions->search_budget);
		if (!r) {
			search->object++;
			search->at = 0;
		}
	}
	budget_stop(&functions->search_budget);
	beat();
	return r;
}

int function_search(struct root *root, const struct function_match *match, uint32_t nr,
		    const uint32_t **ret_found)
{
	struct functions *functions = root_functions(root);
	struct function_search *search = get_search(functions, match, nr);
	int r;

	if (!search)
		return -ENOMEM;
	r = search->object < functions->nr_objects ?
	    go_on(root, search, match, nr) : 0;
	if (r == -ENOMEM) {
		free_search(search);
		return r;
	}
	put_search(functions, search);
	*ret_found = search->found;
	return r ? r : (int)search->nr;
}
