/* SPDX-License-Identifier: MIT */
/* The roots that a server knows; see roots.h. */
#include "server/core/roots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/root.h"
#include "server/core/server.h"

#define HASH_FIRST	64u		/* initial number of buckets of the hash of roots */

void roots_init(struct roots *roots)
{
	*roots = (struct roots){ 0 };
	TAILQ_INIT(&roots->all);
	TAILQ_INIT(&roots->awake);
	TAILQ_INIT(&roots->dead);
}

void roots_done(struct roots *roots)
{
	free(roots->hash);
	roots->hash = NULL;
	roots->nr_hash = 0;
}

/* ---- functions that find roots by name ---- */

/* Return the bucket of @name by the hash FNV-1a, which also spreads names that differ
 * only in their last digits. */
static struct root **hash_bucket(const struct roots *roots, const char *name)
{
	uint32_t hash = 2166136261u;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619u;
	return &roots->hash[hash & (roots->nr_hash - 1)];
}

static void put_into_bucket(const struct roots *roots, struct root *root)
{
	struct root **first = hash_bucket(roots, root->name);

	root->next_of_hash = *first;
	*first = root;
}

/* Allocate more buckets for the hash of roots if there are more roots than buckets. */
static int grow_hash(struct roots *roots)
{
	uint32_t nr = roots->nr_hash ? roots->nr_hash * 2 : HASH_FIRST;
	struct root **hash, *root;

	if (roots->nr < roots->nr_hash)
		return 0;
	hash = calloc(nr, sizeof(struct root *));
	if (!hash)
		return roots->nr_hash ? 0 : -ENOMEM;	/* If there is no memory, keep the old
							 * buckets: the chains become longer,
							 * but the hash still works. */
	free(roots->hash);
	roots->hash = hash;
	roots->nr_hash = nr;
	TAILQ_FOREACH(root, &roots->all, link)
		put_into_bucket(roots, root);
	return 0;
}

struct root *roots_find(const struct roots *roots, const char *name)
{
	struct root *root = roots->nr ? *hash_bucket(roots, name) : NULL;

	while (root && strcmp(root->name, name))
		root = root->next_of_hash;
	return root;
}

int roots_add(struct roots *roots, struct root *root)
{
	int r = grow_hash(roots);

	if (r)
		return r;
	put_into_bucket(roots, root);
	TAILQ_INSERT_HEAD(&roots->all, root, link);
	roots->nr++;
	if (root->state == SERVER_ROOT_DEAD)
		roots_dead(roots, root);
	if (root->memory)
		roots_awake(roots, root);
	return 0;
}

void roots_remove(struct roots *roots, struct root *root)
{
	struct root **at = hash_bucket(roots, root->name);

	while (*at != root)
		at = &(*at)->next_of_hash;
	*at = root->next_of_hash;
	TAILQ_REMOVE(&roots->all, root, link);
	roots->nr--;
	roots_not_dead(roots, root);
	if (root->memory)
		TAILQ_REMOVE(&roots->awake, root, awake_link);
}

/* ---- functions for the list of roots that are awake ---- */

bool roots_have_ended(const struct roots *roots)
{
	const struct root *root;

	TAILQ_FOREACH(root, &roots->awake, awake_link)
		if (root->state == SERVER_ROOT_ALIVE && !root->nr_live)
			return true;
	return false;
}

/*
 * Return the least recently used dead root that can be put to sleep.  @but: a root that
 * must not be returned, or NULL. *@ret_nr_dead is set to the number of dead roots that
 * are awake.
 */
static struct root *choose_sleeper(const struct roots *roots, const struct root *but,
				   uint32_t *ret_nr_dead)
{
	struct root *root, *chosen = NULL;

	*ret_nr_dead = 0;
	TAILQ_FOREACH(root, &roots->awake, awake_link) {
		/* cppcheck-suppress nullPointerRedundantCheck ; @but may be NULL */
		*ret_nr_dead += root->state == SERVER_ROOT_DEAD;
		if (root != but && root_can_sleep(root) &&
		    (!chosen || root->used_ns < chosen->used_ns))
			chosen = root;
	}
	return chosen;
}

bool roots_sleep_one(struct roots *roots)
{
	uint32_t nr_dead;
	struct root *sleeper = choose_sleeper(roots, NULL, &nr_dead);

	if (sleeper)
		root_sleep(sleeper);
	return sleeper;
}

static void limit_awake(struct roots *roots, const struct root *but)
{
	struct root *sleeper;
	uint32_t nr_dead;

	while ((sleeper = choose_sleeper(roots, but, &nr_dead)) &&
	       nr_dead > ROOTS_DEAD_AWAKE)
		root_sleep(sleeper);
}

void roots_limit_awake(struct roots *roots)
{
	limit_awake(roots, NULL);
}

void roots_awake(struct roots *roots, struct root *root)
{
	TAILQ_INSERT_HEAD(&roots->awake, root, awake_link);
	if (root->state == SERVER_ROOT_DEAD)
		limit_awake(roots, root);
}

void roots_asleep(struct roots *roots, struct root *root)
{
	TAILQ_REMOVE(&roots->awake, root, awake_link);
}

/* ---- functions for the list of dead roots ---- */

static bool is_older(const struct root *a, const struct root *b)
{
	return a->died.tv_sec != b->died.tv_sec ? a->died.tv_sec < b->died.tv_sec :
						  a->died.tv_nsec < b->died.tv_nsec;
}

void roots_set_bytes(struct roots *roots, struct root *root, uint64_t bytes)
{
	if (root->is_in_dead)
		roots->dead_bytes += bytes - root->file_bytes;
	root->file_bytes = bytes;
}

void roots_dead(struct roots *roots, struct root *root)
{
	const struct root *last = TAILQ_LAST(&roots->dead, root_list_head);

	if (root->is_in_dead)
		return;
	roots->is_dead_unsorted |= last && is_older(root, last);
	TAILQ_INSERT_TAIL(&roots->dead, root, dead_link);
	root->is_in_dead = true;
	roots->nr_dead++;
	roots->dead_bytes += root->file_bytes;
}

void roots_not_dead(struct roots *roots, struct root *root)
{
	if (!root->is_in_dead)
		return;
	TAILQ_REMOVE(&roots->dead, root, dead_link);
	root->is_in_dead = false;
	roots->nr_dead--;
	roots->dead_bytes -= root->file_bytes;
}

static int by_death(const void *pa, const void *pb)
{
	const struct root *a = *(struct root *const *)pa;
	const struct root *b = *(struct root *const *)pb;

	return is_older(b, a) - is_older(a, b);
}

/* Sort the list of dead roots by age.  When a server starts, it finds the roots in the
 * directory in no order. */
static void sort_dead(struct roots *roots)
{
	struct root **sorted = calloc(roots->nr_dead, sizeof(struct root *)), *root;
	uint32_t nr = 0;

	if (!sorted)
		return;
	TAILQ_FOREACH(root, &roots->dead, dead_link)
		sorted[nr++] = root;
	qsort(sorted, nr, sizeof(struct root *), by_death);
	TAILQ_INIT(&roots->dead);
	for (uint32_t i = 0; i < nr; i++)
		TAILQ_INSERT_TAIL(&roots->dead, sorted[i], dead_link);
	free(sorted);
	roots->is_dead_unsorted = false;
}

struct root *roots_oldest(struct roots *roots)
{
	if (roots->is_dead_unsorted)
		sort_dead(roots);
	return TAILQ_FIRST(&roots->dead);
}
