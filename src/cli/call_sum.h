/* SPDX-License-Identifier: MIT */
/*
 * Sum up the calls of two trees by function, so that two recordings of a program can be
 * compared.  Functions of the two trees are the same if they have the same name, or, if they
 * have no names, the same address.
 */
#ifndef ULF_CLI_CALL_SUM_H
#define ULF_CLI_CALL_SUM_H

#include <stdint.h>

#include "export/call_tree.h"

/* The calls of one function in a tree, summed up. */
struct call_figures {
	uint64_t count;
	uint64_t total_ns;		/* total time of the calls, without recursive calls,
					 * because the outermost call contains them */
	uint64_t self_ns;
};

/* A function of two trees. */
struct call_sum {
	uint64_t addr;			/* address of the function in the first tree that
					 * contains it */
	const char *name;		/* name of the function, in memory of the tree's file;
					 * NULL: not known */
	struct call_figures trees[2];
};

/*
 * Sum up the calls of two trees: @tops as call_tree_read() has returned them.  *@ret_sums: an
 * array of *@ret_nr functions, sorted by name, which the caller must free().  Returns 0 or
 * -ENOMEM.
 */
int call_sums(const struct call_node *const tops[2], struct call_sum **ret_sums, size_t *ret_nr);

/* Compare two functions of an array of call_sums(), for qsort(): by name; functions without a
 * name come first, sorted by address. */
int call_sum_compare(const void *a, const void *b);

#endif
