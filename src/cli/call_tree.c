/* SPDX-License-Identifier: MIT */
#include "cli/call_tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "event/format.h"

#define DEPTH_MAX	256		/* depth from which on calls are not followed: their
					 * time counts for the caller at this depth */
#define NODES_MAX	(4u << 20)	/* maximum number of nodes of a tree */

/* The calls of one thread that have not returned.  level[0] stands for the time outside of any
 * call. */
struct thread {
	int32_t pid;
	struct thread *next;
	struct level {
		struct call_node *node;	/* node of the call; NULL: the record of its entry was
					 * lost */
		uint64_t inner_ns;	/* time of the calls made by this call that have returned */
	} level[DEPTH_MAX + 1];
};

/* The fields of an event of the graph tracer. */
struct fields {
	const struct datfile_event *event;
	const struct event_field *func, *depth, *start, *end;
};

struct call_tree {
	struct datfile *file;
	struct call_node top;
	uint32_t nr_nodes;
	struct thread *threads;		/* list of threads; the thread of the last record is the
					 * first one */
	struct fields entry, exit;
};

/* ---- nodes ---- */

/* Return the child of @parent for the function at @addr; make it if there is none.  It becomes
 * the first child, because the next call is often of the same function.  Returns NULL if there
 * is no memory. */
static struct call_node *child_of(struct call_tree *tree, struct call_node *parent, uint64_t addr)
{
	const struct datfile_symbol *symbol = datfile_symbol(tree->file, addr);
	struct call_node **at = &parent->children, *node;

	if (symbol)
		addr = symbol->start;
	while ((node = *at) && node->addr != addr)
		at = &node->next;
	if (node) {
		*at = node->next;
	} else {
		if (tree->nr_nodes++ >= NODES_MAX)
			return NULL;
		node = calloc(1, sizeof(*node));
		if (!node)
			return NULL;
		*node = (struct call_node){
			.addr = addr, .name = symbol ? symbol->name : NULL, .parent = parent,
			.min_ns = UINT64_MAX,
		};
		parent->nr_children++;
	}
	node->next = parent->children;
	parent->children = node;
	return node;
}

/* ---- threads ---- */

/* Return the calls of thread @pid, and move the thread to the start of the list.  Makes them
 * for a new thread.  Returns NULL if there is no memory. */
static struct thread *thread_of(struct call_tree *tree, int32_t pid)
{
	struct thread **at = &tree->threads, *thread;

	while ((thread = *at) && thread->pid != pid)
		at = &thread->next;
	if (thread) {
		*at = thread->next;
	} else {
		thread = calloc(1, sizeof(*thread));
		if (!thread)
			return NULL;
		thread->pid = pid;
		thread->level[0].node = &tree->top;
	}
	thread->next = tree->threads;
	tree->threads = thread;
	return thread;
}

/* Return the node of the caller of a call at @depth.  If the record of its entry was lost,
 * return that of the nearest caller above it. */
static struct call_node *caller_at(const struct thread *thread, uint32_t depth)
{
	while (depth && !thread->level[depth].node)
		depth--;
	return thread->level[depth].node;
}

/* Forget the calls at @depth and deeper: they have returned, or longjmp() or an exception has
 * left them. */
static void forget_from(struct thread *thread, uint32_t depth)
{
	for (; depth <= DEPTH_MAX && thread->level[depth].node; depth++)
		thread->level[depth] = (struct level){ 0 };
}

/* ---- records ---- */

static int call_starts(struct call_tree *tree, struct thread *thread, uint64_t func,
		       uint32_t depth)
{
	struct call_node *node = child_of(tree, caller_at(thread, depth), func);

	if (!node)
		return -ENOMEM;
	forget_from(thread, depth + 1);
	thread->level[depth + 1] = (struct level){ .node = node };
	return 0;
}

static int call_ends(struct call_tree *tree, struct thread *thread, uint64_t func, uint32_t depth,
		     uint64_t ns)
{
	struct level *level = &thread->level[depth + 1];
	struct call_node *node = level->node;
	const struct datfile_symbol *symbol = datfile_symbol(tree->file, func);
	uint64_t inner_ns = level->inner_ns;

	if (!node || node->addr != (symbol ? symbol->start : func)) {
		/* The start was lost. */
		node = child_of(tree, caller_at(thread, depth), func);
		inner_ns = node == level->node ? inner_ns : 0;
	}
	if (!node)
		return -ENOMEM;
	node->count++;
	node->total_ns += ns;
	node->self_ns += ns > inner_ns ? ns - inner_ns : 0;
	node->min_ns = ns < node->min_ns ? ns : node->min_ns;
	node->max_ns = ns > node->max_ns ? ns : node->max_ns;
	forget_from(thread, depth + 1);
	*level = (struct level){ 0 };
	thread->level[depth].inner_ns += ns;
	if (!depth)
		tree->top.total_ns += ns;
	return 0;
}

static const struct event_field *find_field(const struct datfile_event *event, const char *name)
{
	return event_format_find(event->format, name, strlen(name));
}

static bool find_fields(const struct datfile *file, const char *name, bool is_exit,
			struct fields *ret_fields)
{
	const struct datfile_event *event = datfile_event_find(file, "ftrace", name);

	*ret_fields = (struct fields){ .event = event };
	if (!event)
		return false;
	ret_fields->func = find_field(event, "func");
	ret_fields->depth = find_field(event, "depth");
	ret_fields->start = find_field(event, "calltime");
	ret_fields->end = find_field(event, "rettime");
	return ret_fields->func && ret_fields->depth &&
	       (!is_exit || (ret_fields->start && ret_fields->end));
}

static int use_record(struct call_tree *tree, const struct datfile_record *record)
{
	const struct fields *fields = record->event == tree->exit.event ? &tree->exit :
								       &tree->entry;
	int64_t func, depth, start = 0, end = 0;
	struct thread *thread;

	if (!datfile_field_number(record, fields->func, &func) ||
	    !datfile_field_number(record, fields->depth, &depth) || depth < 0 ||
	    depth >= DEPTH_MAX)
		return 0;
	thread = thread_of(tree, record->pid);
	if (!thread)
		return -ENOMEM;
	if (fields == &tree->entry)
		return call_starts(tree, thread, (uint64_t)func, (uint32_t)depth);
	if (!datfile_field_number(record, fields->start, &start) ||
	    !datfile_field_number(record, fields->end, &end))
		return 0;
	return call_ends(tree, thread, (uint64_t)func, (uint32_t)depth,
			 end > start ? (uint64_t)(end - start) : 0);
}

static int read_records(struct call_tree *tree)
{
	struct datfile_stream *stream;
	struct datfile_record record;
	int r = datfile_stream_open(&tree->file, 1, &stream);

	if (r)
		return r;
	while ((r = datfile_stream_next(stream, &record)) > 0) {
		if (!record.event || (record.event != tree->entry.event &&
				      record.event != tree->exit.event))
			continue;
		r = use_record(tree, &record);
		if (r)
			break;
	}
	datfile_stream_close(stream);
	return r;
}

/* ---- the tree ---- */

static int compare_nodes(const void *a, const void *b)
{
	const struct call_node *x = *(struct call_node *const *)a;
	const struct call_node *y = *(struct call_node *const *)b;

	if (x->total_ns != y->total_ns)
		return x->total_ns > y->total_ns ? -1 : 1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int sort_children(struct call_node *node)
{
	struct call_node **list = malloc((node->nr_children + 1) * sizeof(struct call_node *));
	uint32_t nr = 0;

	if (!list)
		return -ENOMEM;
	for (struct call_node *child = node->children; child; child = child->next)
		list[nr++] = child;
	qsort(list, nr, sizeof(struct call_node *), compare_nodes);
	list[nr] = NULL;
	for (uint32_t i = 0; i < nr; i++)
		list[i]->next = list[i + 1];
	node->children = list[0];
	free(list);
	return 0;
}

struct call_node *call_tree_next(const struct call_node *node)
{
	if (node->children)
		return node->children;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}

int call_tree_read(struct datfile *file, struct call_tree **ret_tree,
		   const struct call_node **ret_top)
{
	struct call_tree *tree = calloc(1, sizeof(*tree));
	int r = -ENOENT;

	if (!tree)
		return -ENOMEM;
	tree->file = file;
	if (find_fields(file, "funcgraph_entry", false, &tree->entry) &&
	    find_fields(file, "funcgraph_exit", true, &tree->exit))
		r = read_records(tree);
	for (struct call_node *node = &tree->top; !r && node; node = call_tree_next(node))
		r = sort_children(node);
	if (!r && !tree->top.children)
		r = -ENOENT;
	if (r) {
		call_tree_free(tree);
		return r;
	}
	*ret_tree = tree;
	*ret_top = &tree->top;
	return 0;
}

void call_tree_free(struct call_tree *tree)
{
	struct call_node *node = tree ? tree->top.children : NULL;

	while (node) {
		struct call_node *next;

		/* Free a node only after all its children. */
		while (node->children)
			node = node->children;
		next = node->next ? node->next : node->parent;
		node->parent->children = node->next;
		free(node);
		node = next == &tree->top ? NULL : next;
	}
	while (tree && tree->threads) {
		struct thread *thread = tree->threads;

		tree->threads = thread->next;
		free(thread);
	}
	free(tree);
}
