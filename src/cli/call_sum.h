/* SPDX-License-Identifier: MIT */
/*
 * Calls of two trees, summed up by function, so that two recordings of a program can be compared.
 * A function of one tree is that of the other if both have the same name, or, without names, the
 * same address.
 */
#ifndef ULF_CLI_CALL_SUM_H
#define ULF_CLI_CALL_SUM_H

#include <stdint.h>

#include "export/call_tree.h"

/* The calls of a function in a tree. */
struct call_figures {
	uint64_t count;
	uint64_t total_ns;		/* recursive calls are left out, because the outermost
					 * call contains them */
	uint64_t self_ns;
};

/* A function of two trees. */
struct call_sum {
	uint64_t addr;			/* address in the first tree that has the function */
	const char *name;		/* in memory of the tree's file; NULL: not known */
	struct call_figures trees[2];
};

/*
 * Sum up the calls of two trees: @tops as call_tree_read() has returned them.  *@ret_sums: an array
 * of *@ret_nr functions in order of their names, which the caller must free().  Returns 0 or
 * -ENOMEM.
 */
int call_sums(const struct call_node *const tops[2], struct call_sum **ret_sums, size_t *ret_nr);

/* Compare two functions of such an array, for qsort(): by name, functions without a name first, by
 * address. */
int call_sum_compare(const void *a, const void *b);

#endif
