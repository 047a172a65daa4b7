/* SPDX-License-Identifier: MIT */
/*
 * A tree of calls, made from the records of the graph tracer in files.  A node stands for a
 * function that one chain of callers calls.  The node has the number of these calls and their
 * times.  The calls of all threads are in one tree.
 */
#ifndef ULF_EXPORT_CALL_TREE_H
#define ULF_EXPORT_CALL_TREE_H

#include <stdint.h>

#include "datfile/datfile.h"

struct export;
struct export_call;
struct export_end;
struct export_thread;

/* A node of the tree: a function that is called from the function of @parent. */
struct call_node {
	uint64_t addr;			/* address at which the function starts; if the
					 * function is not known, the address that was
					 * recorded */
	const char *name;		/* name of the function; NULL: the name is not known */
	uint32_t file_number;		/* number of the file to which @addr belongs */
	uint64_t count;			/* number of calls of the function that have returned */
	uint64_t total_ns, self_ns;	/* total time of the calls of the function: with, and
					 * without, the time of the calls that it has made */
	uint64_t min_ns, max_ns;
	struct call_node *parent, *next;	/* @parent: the caller; @next: the next child
						 * of @parent */
	struct call_node *children;
	uint32_t nr_children;
};

struct call_tree;

/*
 * Read all records of @file.  *@ret_top: the top node, whose children are the functions whose
 * caller was not traced; total_ns of the top node is the sum of total_ns of its children.
 * Children are sorted by total_ns, the largest first.  Returns 0; -ENOENT if the file has no
 * records of the graph tracer; or another -errno.  The file must stay open as long as the
 * tree is used.
 */
int call_tree_read(struct datfile *file, struct call_tree **ret_tree,
		   const struct call_node **ret_top);
/* Return the node after @node: its first child; else the next child of the nearest caller
 * that has further children.  Returns NULL after the last node.  The walk starts with the
 * first child of the top node. */
struct call_node *call_tree_next(const struct call_node *node);
/* Free the tree.  NULL is allowed. */
void call_tree_free(struct call_tree *tree);

/* ---- trees that are made from something else than calls ---- */

/* Make an empty tree.  Returns its first node; NULL if there is no memory. */
struct call_node *call_tree_alloc(struct call_tree **ret_tree);
/*
 * Return the child of @parent that is the function of @what; make it if there is none.  Of @what
 * the members addr, name and file_number are used; the name is not copied.  Returns NULL if there
 * is no memory.
 */
struct call_node *call_tree_child(struct call_tree *tree, struct call_node *parent,
				  const struct call_node *what);
/* Sort the children of each node by total_ns, the largest first.  Returns 0 or -ENOMEM. */
int call_tree_sort(struct call_tree *tree);

/* ---- methods for formats that are written from a call tree ---- */

/* The state of a format that is written from a call tree. */
struct call_tree_state {
	struct call_tree *tree;
};

/* Methods of struct export_format that build the call tree. */
void call_tree_start(struct export *ex);
void call_tree_call_begin(struct export *ex, const struct export_thread *thread,
			  const struct export_call *call);
void call_tree_call_end(struct export *ex, const struct export_thread *thread,
			const struct export_call *call, const struct export_end *end);
void call_tree_done(struct export *ex);
/* Sort the tree, and return its first node.  Called by the format's method finish().  Returns
 * NULL, and sets ex->error, if there is no memory. */
const struct call_node *call_tree_finish(struct export *ex);

#endif
