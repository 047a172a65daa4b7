/* SPDX-License-Identifier: MIT */
/*
 * The filters of <linux/ftrace.h>.  As in the kernel, a name is looked up once, when
 * the program sets it.  So a filter contains only sites of functions that were loaded
 * at that time.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/base/lock.h"
#include "runtime/base/memory.h"
#include "runtime/function/ftrace_filter.h"
#include "runtime/function/object.h"
#include <linux/ftrace.h>

/* ---- find and add addresses in a set ---- */

/* A set of addresses of functions: a hash table with linear probing. */
struct ips {
	uint32_t nr, mask;		/* @nr: number of addresses; @mask: number of
					 * elements of @at, minus 1 */
	uint64_t at[];			/* array of mask + 1 addresses; 0: the element
					 * is free */
};

/* Returns the element that holds @ip, or the free element in which @ip must be stored. */
static uint64_t *place_of_ip(struct ips *ips, uint64_t ip)
{
	uint64_t i = ip * 0x9e3779b97f4a7c15ull >> 32;

	while (ips->at[i & ips->mask] && ips->at[i & ips->mask] != ip)
		i++;
	return &ips->at[i & ips->mask];
}

static bool ips_have(struct ips *ips, uint64_t ip)
{
	return ips && *place_of_ip(ips, ip);
}

/* Double the size of the hash table *@ips, so that half of its elements stay free. */
static int ips_grow(struct ips **ips)
{
	struct ips *old = *ips, *new;
	uint32_t mask = old ? 2 * old->mask + 1 : 15;

	new = memory_alloc(sizeof(*new) + (mask + 1ul) * sizeof(new->at[0]));
	if (!new)
		return -ENOMEM;
	new->mask = mask;
	new->nr = old ? old->nr : 0;
	for (uint32_t i = 0; old && i <= old->mask; i++)
		if (old->at[i])
			*place_of_ip(new, old->at[i]) = old->at[i];
	memory_free(old);
	*ips = new;
	return 0;
}

static int ips_add(struct ips **ips, uint64_t ip)
{
	int r = !*ips || 2 * (*ips)->nr > (*ips)->mask ? ips_grow(ips) : 0;

	if (r || ips_have(*ips, ip))
		return r;
	*place_of_ip(*ips, ip) = ip;
	(*ips)->nr++;
	return 0;
}

/* Add the addresses of @from to *@to, except those in @but. */
static int ips_add_all(struct ips **to, struct ips *from, struct ips *but)
{
	int r = 0;

	for (uint32_t i = 0; from && !r && i <= from->mask; i++)
		if (from->at[i] && !ips_have(but, from->at[i]))
			r = ips_add(to, from->at[i]);
	return r;
}

/* ---- read and change the filter of a struct ftrace_ops ---- */

struct filter {				/* the lists of a filter; ftrace_ops.ulf points
					 * to this struct */
	struct ips *lists[FILTER_LISTS];
};

bool filter_has(const struct ftrace_ops *ops, uint64_t code)
{
	const struct filter *filter = ops->ulf;
	struct ips *only;

	if (!filter)
		return true;
	only = filter->lists[FILTER_ONLY];
	return (!only || !only->nr || ips_have(only, code)) &&
	       !ips_have(filter->lists[FILTER_BUT], code);
}

bool filter_is_open(const struct ftrace_ops *ops)
{
	const struct filter *filter = ops->ulf;

	return !filter || !filter->lists[FILTER_ONLY] || !filter->lists[FILTER_ONLY]->nr;
}

/* Add the addresses @some to the list @list in the filter of @ops, or remove them if
 * @is_removed is true.  @is_reset: empty the list first.  The new list replaces the
 * old list only if there was memory for the new list. */
static int change_filter(struct ftrace_ops *ops, enum filter_list list, struct ips *some,
			 bool is_removed, bool is_reset)
{
	struct filter *filter = ops->ulf;
	struct ips *old, *new = NULL;
	int r;

	if (!filter)
		filter = ops->ulf = memory_alloc(sizeof(*filter));
	if (!filter)
		return -ENOMEM;
	old = filter->lists[list];
	r = is_reset ? 0 : ips_add_all(&new, old, is_removed ? some : NULL);
	if (!r && !is_removed)
		r = ips_add_all(&new, some, NULL);
	if (r) {
		memory_free(new);
		return r;
	}
	filter->lists[list] = new;
	memory_free(old);
	return 0;
}

/* Returns true if @code is in the list FILTER_ONLY.  An empty list means that all
 * functions are selected; for this case the function returns false.  @is_reset: treat
 * the list as empty. */
static bool is_chosen(const struct ftrace_ops *ops, uint64_t code, bool is_reset)
{
	const struct filter *filter = ops->ulf;

	return filter && !is_reset && ips_have(filter->lists[FILTER_ONLY], code);
}

int filter_set_ip(struct ftrace_ops *ops, uint64_t ip, bool is_removed, bool is_reset)
{
	struct ips *one = NULL;
	uint64_t code = 0;
	int r;

	for (struct object *o = object_first(); o && !code; o = o->next)
		code = object_site_of(o, ip);
	if (!code)
		return -EINVAL;
	if (is_removed && !is_chosen(ops, code, is_reset))
		return -ENOENT;
	r = ips_add(&one, code);
	if (!r)
		r = change_filter(ops, FILTER_ONLY, one, is_removed, is_reset);
	memory_free(one);
	return r;
}

struct found {
	struct ips *ips;
	int error;
};

static void take_found(void *arg, uint64_t code)
{
	struct found *found = arg;

	if (!found->error)
		found->error = ips_add(&found->ips, code);
}

int filter_set_glob(struct ftrace_ops *ops, enum filter_list list, const char *glob,
		    size_t len, bool is_reset, struct object_unknown *unknown)
{
	bool is_removed = glob && len && *glob == '!';
	struct found found = { 0 };

	if (glob)
		object_find_names(glob + is_removed, len - is_removed, take_found, &found,
				  unknown);
	else
		runtime_lock();
	if (!found.error && glob && !found.ips)
		found.error = -EINVAL;
	if (!found.error)
		found.error = change_filter(ops, list, found.ips, is_removed, is_reset);
	memory_free(found.ips);
	return found.error;
}

void filter_free(struct ftrace_ops *ops)
{
	struct filter *filter = ops->ulf;

	for (int list = 0; filter && list < FILTER_LISTS; list++)
		memory_free(filter->lists[list]);
	memory_free(filter);
	ops->ulf = NULL;
}
