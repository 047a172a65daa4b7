/* SPDX-License-Identifier: MIT */
#include "cli/call_sum.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The functions that were found so far, in an array that grows. */
struct sums {
	struct call_sum *array;
	size_t nr, max;
};

int call_sum_compare(const void *a, const void *b)
{
	const struct call_sum *x = a, *y = b;

	if (x->name && y->name)
		return strcmp(x->name, y->name);
	if (x->name || y->name)
		return x->name ? 1 : -1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static bool is_same_function(const struct call_node *a, const struct call_node *b)
{
	return a->name && b->name ? !strcmp(a->name, b->name) : a->addr == b->addr;
}

/* Return true if a caller of @node, at any level of the tree, is the same function. */
static bool is_recursive(const struct call_node *node)
{
	for (const struct call_node *at = node->parent; at->parent; at = at->parent)
		if (is_same_function(at, node))
			return true;
	return false;
}

static int append_node(struct sums *sums, const struct call_node *node, int tree)
{
	struct call_sum *sum;

	if (sums->nr == sums->max) {
		size_t max = sums->max ? 2 * sums->max : 1024;
		struct call_sum *array = reallocarray(sums->array, max, sizeof(*array));

		if (!array)
			return -ENOMEM;
		sums->array = array;
		sums->max = max;
	}
	sum = &sums->array[sums->nr++];
	*sum = (struct call_sum){ .addr = node->addr, .name = node->name };
	sum->trees[tree] = (struct call_figures){
		.count = node->count, .self_ns = node->self_ns,
		.total_ns = is_recursive(node) ? 0 : node->total_ns,
	};
	return 0;
}

static void add_figures(struct call_figures *to, const struct call_figures *figures)
{
	to->count += figures->count;
	to->total_ns += figures->total_ns;
	to->self_ns += figures->self_ns;
}

/* Merge the elements that are for the same function.  The array must be sorted. */
static void merge_equal(struct sums *sums)
{
	size_t nr = 0;

	for (size_t i = 0; i < sums->nr; i++) {
		struct call_sum *last = nr ? &sums->array[nr - 1] : NULL;

		if (!last || call_sum_compare(last, &sums->array[i])) {
			sums->array[nr++] = sums->array[i];
			continue;
		}
		for (int tree = 0; tree < 2; tree++)
			add_figures(&last->trees[tree], &sums->array[i].trees[tree]);
	}
	sums->nr = nr;
}

int call_sums(const struct call_node *const tops[2], struct call_sum **ret_sums, size_t *ret_nr)
{
	struct sums sums = { 0 };

	for (int tree = 0; tree < 2; tree++) {
		const struct call_node *node = tops[tree];

		while ((node = call_tree_next(node))) {
			if (append_node(&sums, node, tree)) {
				free(sums.array);
				return -ENOMEM;
			}
		}
	}
	if (sums.nr)
		qsort(sums.array, sums.nr, sizeof(*sums.array), call_sum_compare);
	merge_equal(&sums);
	*ret_sums = sums.array;
	*ret_nr = sums.nr;
	return 0;
}
