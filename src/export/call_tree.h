/* SPDX-License-Identifier: MIT */
/*
 * A tree of calls, made from the records of the graph tracer in files.  A node stands for a
 * function called from one chain of callers, with the number of calls and their times.  The
 * calls of all threads are in one tree.
 */
#ifndef ULF_EXPORT_CALL_TREE_H
#define ULF_EXPORT_CALL_TREE_H

#include <stdint.h>

#include "datfile/datfile.h"

struct export;
struct export_call;
struct export_end;
struct export_thread;

/* A function that is called from the function of @parent. */
struct call_node {
	uint64_t addr;			/* start of the function; if its name is not known, the
					 * address that was recorded */
	const char *name;		/* name of the function; NULL: not known */
	uint32_t file_number;		/* number of the file of @addr */
	uint64_t count;			/* number of calls that have returned */
	uint64_t total_ns, self_ns;	/* sum of the times of these calls, with and without the
					 * calls that they have made */
	uint64_t min_ns, max_ns;
	struct call_node *parent, *next;	/* @next: the next child of @parent */
	struct call_node *children;
	uint32_t nr_children;
};

struct call_tree;

/*
 * Read all records of @file.  *@ret_top: a node whose children are the functions whose caller
 * was not traced; its total_ns is the sum of theirs.  Children are sorted by total_ns, the
 * largest first.  Returns 0; -ENOENT if the file has no records of the graph tracer; or
 * another -errno.  The file must stay open as long as the tree is used.
 */
int call_tree_read(struct datfile *file, struct call_tree **ret_tree,
		   const struct call_node **ret_top);
/* Return the node after @node: its first child; else the next child of the nearest caller that
 * has further children.  Returns NULL after the last node.  The first node after @top is its
 * first child. */
struct call_node *call_tree_next(const struct call_node *node);
/* Free the tree.  NULL is allowed. */
void call_tree_free(struct call_tree *tree);

/* ---- methods of formats that are written from the tree ---- */

/* The state of such a format. */
struct call_tree_state {
	struct call_tree *tree;
};

/* Methods of struct export_format. */
void call_tree_start(struct export *ex);
void call_tree_call_begin(struct export *ex, const struct export_thread *thread,
			  const struct export_call *call);
void call_tree_call_end(struct export *ex, const struct export_thread *thread,
			const struct export_call *call, const struct export_end *end);
void call_tree_done(struct export *ex);
/* Sort the tree, for method finish(), and return its first node.  Returns NULL, and sets ex->error,
 * if there is no memory. */
const struct call_node *call_tree_finish(struct export *ex);

#endif
