/* SPDX-License-Identifier: MIT */
/* Search for functions by name; see symbols_written.h. */
#include "server/names/symbols_written.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/root.h"
#include "server/names/objects.h"
#include "symbols/function_name.h"
#include "symbols/parse_result.h"

/*
 * SEARCHES_MAX is the maximum number of searches that a root keeps, ROUND_MAX the maximum
 * number of names in one round.  ROUND_MAX must be smaller: otherwise the searches of a round
 * would replace each other, and the round would never end.
 */
#define SEARCHES_MAX	1024u
#define ROUND_MAX	512u
#define CHECK_EVERY	64u		/* number of names that are compared between two
					 * checks of the budget */

/* How well a function matches a name, from the best tier to the worst.  All functions
 * in the result of a search are of one tier, the best one that any function reaches. */
enum tier {
	TIER_RAW,			/* the raw name equals the name; only the first
					 * function with it counts */
	TIER_CLONE,			/* the function is a clone, which the compiler has
					 * made of a function with this name */
	TIER_SHOWN,			/* the name equals the function's name in lists of
					 * functions */
	TIER_NAME,			/* RUNG_NAME */
	TIER_SCOPED,			/* RUNG_SCOPED */
	TIER_NONE,
};

/* The steps of a search.  Most filters name functions of C, so raw names come first.
 * The server demangles only if no symbol has the name. */
enum step {
	STEP_RAW,			/* compare with raw names */
	STEP_DEMANGLE,			/* wait until all C++ names are demangled */
	STEP_WRITTEN,			/* compare the name with written names */
	STEP_DONE,
};

struct found {
	uint32_t nr;			/* number of functions found; FILTER_RANGES_MAX +
					 * 1 if there are too many */
	struct filter_range ranges[FILTER_RANGES_MAX];
};

/* A search for the functions with one name, in progress or with its result. */
struct written_search {
	struct written_search *next;	/* next search in the list, which was last used
					 * before this one */
	char *name;
	size_t len;			/* bytes of @name */
	uint64_t objects;		/* value of sum_objects() when the search began;
					 * the result is valid while this sum does not
					 * change */
	uint32_t round;			/* value of written_names.round when the search
					 * was last used */
	enum step step;
	uint32_t at, row;		/* where the search continues in the current step:
					 * @at is the cursor of objects_next(), @row is
					 * the first symbol of that object that was not
					 * compared yet */
	enum tier tier;			/* tier (how well the names match) of all functions
					 * that @now contains */
	struct found now;		/* functions that the search in progress has found
					 * so far */
	struct found last;		/* result of the last search for this name that
					 * has ended */
};

/* ---- functions for the list of searches ---- */

static void free_search(struct written_search *search)
{
	free(search->name);
	free(search);
}

void written_names_done(struct written_names *names)
{
	struct written_search *search;

	while ((search = names->searches)) {
		names->searches = search->next;
		free_search(search);
	}
}

static struct written_search *new_search(const char *name, size_t len)
{
	struct written_search *search = calloc(1, sizeof(*search));

	if (!search)
		return NULL;
	search->name = malloc(len + 1);
	if (!search->name) {
		free(search);
		return NULL;
	}
	memcpy(search->name, name, len);
	search->name[len] = '\0';
	search->len = len;
	search->tier = TIER_NONE;
	return search;
}

/*
 * Return the search for @name, or NULL if there is none.  *@ret_at is set to the
 * pointer that points to the search, or else to the last pointer of the list.
 * *@ret_nr is set to the number of searches before it.
 */
static struct written_search *find_search(struct written_names *names, const char *name,
					  size_t len, struct written_search ***ret_at,
					  uint32_t *ret_nr)
{
	struct written_search **at = &names->searches, *search;
	uint32_t nr = 0;

	for (; (search = *at); at = &search->next, nr++)
		if (search->len == len && !memcmp(search->name, name, len))
			break;
	*ret_at = at;
	*ret_nr = nr;
	return search;
}

static void free_last_search(struct written_names *names)
{
	struct written_search **at = &names->searches;

	while ((*at)->next)
		at = &(*at)->next;
	free_search(*at);
	*at = NULL;
}

/*
 * Return the search for @name, and make it the first of the list.  If there are too
 * many searches, frees the one that was not used for the longest time.  Returns NULL
 * if there is no memory.
 */
static struct written_search *get_search(struct written_names *names, const char *name,
					 size_t len)
{
	struct written_search **at, *search;
	uint32_t nr;

	search = find_search(names, name, len, &at, &nr);
	if (search) {
		*at = search->next;
	} else {
		search = new_search(name, len);
		if (!search)
			return NULL;
	}
	search->next = names->searches;
	names->searches = search;
	if (nr >= SEARCHES_MAX)
		free_last_search(names);
	return search;
}

static uint64_t mix_hash(uint64_t sum, uint64_t value)
{
	return (sum ^ value) * 0x9e3779b97f4a7c15 + (sum >> 29);
}

/* Return a checksum of the objects and their symbols.  A search begins again if this checksum has
 * changed. */
static uint64_t sum_objects(struct root *root)
{
	const struct object *object;
	uint64_t sum = 0;
	uint32_t at = 0;

	while ((object = objects_next(root, 0, &at))) {
		const struct elf_symbols *symbols = &object->file->symbols;

		sum = mix_hash(sum, (uintptr_t)object->file);
		sum = mix_hash(sum, object->bias);
		sum = mix_hash(sum, symbols->nr);
	}
	return sum;
}

static void restart_search(struct written_search *search, uint64_t objects)
{
	search->objects = objects;
	search->step = STEP_RAW;
	search->at = search->row = 0;
	search->tier = TIER_NONE;
	search->now.nr = 0;
}

/* ---- functions that search for a name in all symbols ---- */

static void add_range(struct written_search *search, enum tier tier, const struct object *object,
		      const struct elf_symbol *symbol)
{
	struct filter_range range = { .start = object->bias + symbol->addr };
	struct found *found = &search->now;

	if (tier < search->tier) {
		search->tier = tier;
		found->nr = 0;
	}
	range.end = range.start + symbol->size;
	/* Skip an address that was found before: a constructor of a class has two
	 * symbols, often at one address. */
	for (uint32_t i = 0; i < found->nr && i < FILTER_RANGES_MAX; i++)
		if (found->ranges[i].start == range.start)
			return;
	if (found->nr < FILTER_RANGES_MAX)
		found->ranges[found->nr] = range;
	if (found->nr <= FILTER_RANGES_MAX)
		found->nr++;
}

/* Return how well @symbol matches the name of @search.  If @pattern is NULL, only raw
 * names are compared. */
static enum tier tier_of(const struct written_search *search,
			 const struct function_pattern *pattern,
			 const struct elf_symbols *symbols, const struct elf_symbol *symbol)
{
	const char *plain;
	enum function_rung rung;

	if (!pattern)
		return strcmp(symbol->name, search->name) ? TIER_NONE : TIER_RAW;
	plain = parsed_plain(symbols, symbol);
	if (!plain)
		return function_name_is_clone(symbol->name, search->name, search->len) ?
		       TIER_CLONE : TIER_NONE;
	plain = function_name_shown(plain);
	if (!strcmp(plain, search->name))
		return TIER_SHOWN;
	rung = function_pattern_match(pattern, plain);
	return rung == RUNG_NAME ? TIER_NAME : rung == RUNG_SCOPED ? TIER_SCOPED : TIER_NONE;
}

/* Compare the names of one object, from search->row on, with the name of @search.  Returns 0; 1
 * if no other object need be compared; or -ERESTART if the budget is spent. */
static int search_object(struct written_search *search,
			 const struct function_pattern *pattern, const struct object *object,
			 const struct budget *budget)
{
	const struct elf_symbols *symbols = &object->file->symbols;

	while (search->row < symbols->nr) {
		const struct elf_symbol *symbol = &symbols->rows[search->row++];
		enum tier tier = tier_of(search, pattern, symbols, symbol);

		if (tier != TIER_NONE && tier <= search->tier)
			add_range(search, tier, object, symbol);
		if (tier == TIER_RAW)
			return 1;
		if (search->row % CHECK_EVERY == 0 && budget_is_spent(budget))
			return -ERESTART;
	}
	return 0;
}

/* Compare the names of all objects, from search->at on, with the name of @search.  Returns 0
 * or 1 if all that is needed was compared; -ERESTART if the budget is spent. */
static int search_objects(struct written_names *names, struct root *root,
			  struct written_search *search,
			  const struct function_pattern *pattern)
{
	const struct object *object;
	uint32_t at = search->at;
	int r = 0;

	budget_start(&names->budget);
	while (!r && (object = objects_next(root, 0, &at))) {
		r = search_object(search, pattern, object, &names->budget);
		if (!r) {
			search->at = at;
			search->row = 0;
		}
	}
	budget_stop(&names->budget);
	return r;
}

static int search_written(struct written_names *names, struct root *root,
			  struct written_search *search)
{
	struct function_pattern pattern;

	if (!function_pattern_init(&pattern, search->name, search->len))
		return 0;
	return search_objects(names, root, search, &pattern);
}

/* Do the current step of a search, and go to the next step if it has ended.  Returns 0 or
 * -ERESTART. */
static int do_step(struct written_names *names, struct root *root,
		   struct written_search *search)
{
	int r;

	switch (search->step) {
	case STEP_RAW:
		r = search_objects(names, root, search, NULL);
		break;
	case STEP_DEMANGLE:
		r = objects_demangle_all(root);
		break;
	default:
		r = search_written(names, root, search);
	}
	if (r < 0)
		return r;
	search->step = r ? STEP_DONE : search->step + 1;
	search->at = search->row = 0;
	if (search->step == STEP_DONE)
		search->last = search->now;
	return 0;
}

static int go_on(struct written_names *names, struct root *root,
		 struct written_search *search)
{
	uint64_t objects = sum_objects(root);
	int r = 0;

	if (search->objects != objects)
		restart_search(search, objects);
	while (!r && search->step != STEP_DONE)
		r = do_step(names, root, search);
	return r;
}

void written_names_begin(struct written_names *names)
{
	names->round++;
	names->nr_round = 0;
}

int written_names_search(struct written_names *names, struct root *root, const char *name,
			 size_t len)
{
	struct written_search *search = get_search(names, name, len);

	if (!search)
		return -ENOMEM;
	if (search->round != names->round) {
		if (names->nr_round == ROUND_MAX)
			return -E2BIG;
		names->nr_round++;
		search->round = names->round;
	}
	return go_on(names, root, search);
}

int written_names_get(struct written_names *names, struct root *root, const char *name,
		      size_t len, struct filter_range ret_ranges[FILTER_RANGES_MAX])
{
	struct written_search *search = get_search(names, name, len);

	if (!search)
		return -ENOMEM;
	go_on(names, root, search);
	if (search->last.nr > FILTER_RANGES_MAX)
		return -E2BIG;
	memcpy(ret_ranges, search->last.ranges, search->last.nr * sizeof(*ret_ranges));
	return (int)search->last.nr;
}
