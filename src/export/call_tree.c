/* SPDX-License-Identifier: MIT */
#include "export/call_tree.h"

#include <errno.h>
#include <stdlib.h>

#include "export/export_impl.h"

#define NODES_MAX	(4u << 20)	/* maximum number of nodes of a call tree */
#define LEVELS_FIRST	64u
#define TEXT_MAX	4096u

/* A call that has not returned yet.  The first level of a thread stands for the time outside
 * of all calls. */
struct level {
	struct call_node *node;
	uint64_t inner_ns;		/* total time of the calls that this call has made and
					 * that have returned */
};

/* The calls of one thread that have not returned yet. */
struct stack {
	struct level *levels;		/* array of nr_levels levels, of which @depth + 1 are
					 * used */
	uint32_t nr_levels, depth;
};

struct call_tree {
	struct call_node top;
	uint32_t nr_nodes;
	struct stack *stacks;		/* array of nr_stacks stacks; the index is the number
					 * of the thread */
	uint32_t nr_stacks;
};

/* ---- nodes ---- */

/* A function has different addresses in two files.  So functions of different files are
 * compared by name. */
static bool is_function(const struct call_node *node, const struct call_node *what)
{
	if (node->file_number == what->file_number)
		return node->addr == what->addr;
	return node->name && what->name && !strcmp(node->name, what->name);
}

/* The child that is found or made becomes the first one, because the next call is often of the
 * same function. */
struct call_node *call_tree_child(struct call_tree *tree, struct call_node *parent,
				  const struct call_node *what)
{
	struct call_node **at = &parent->children, *node;

	while ((node = *at) && !is_function(node, what))
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
			.addr = what->addr, .name = what->name, .file_number = what->file_number,
			.parent = parent, .min_ns = UINT64_MAX,
		};
		parent->nr_children++;
	}
	node->next = parent->children;
	parent->children = node;
	return node;
}

static struct call_node *child_of(struct call_tree *tree, struct call_node *parent,
				  const struct export_thread *thread,
				  const struct export_call *call)
{
	const struct datfile_symbol *symbol = datfile_symbol(thread->file, call->func);
	const struct call_node what = {
		.addr = symbol ? symbol->start : call->func, .name = call->name,
		.file_number = thread->file_number,
	};

	return call_tree_child(tree, parent, &what);
}

/* ---- calls ---- */

static int grow_stacks(struct call_tree *tree, uint32_t number)
{
	uint32_t nr = tree->nr_stacks ? tree->nr_stacks : 64;
	struct stack *stacks;

	while (nr <= number)
		nr *= 2;
	stacks = realloc(tree->stacks, nr * sizeof(*stacks));
	if (!stacks)
		return -ENOMEM;
	memset(stacks + tree->nr_stacks, 0, (nr - tree->nr_stacks) * sizeof(*stacks));
	tree->stacks = stacks;
	tree->nr_stacks = nr;
	return 0;
}

/* Make space in the stack for at least one more level. */
static int grow_levels(struct call_tree *tree, struct stack *stack)
{
	uint32_t nr = stack->nr_levels ? 2 * stack->nr_levels : LEVELS_FIRST;
	struct level *levels = realloc(stack->levels, nr * sizeof(*levels));

	if (!levels)
		return -ENOMEM;
	if (!stack->nr_levels)
		levels[0] = (struct level){ .node = &tree->top };
	stack->levels = levels;
	stack->nr_levels = nr;
	return 0;
}

static int begin_call(struct call_tree *tree, const struct export_thread *thread,
		      const struct export_call *call)
{
	struct stack *stack;
	struct call_node *node;

	if (thread->number >= tree->nr_stacks && grow_stacks(tree, thread->number))
		return -ENOMEM;
	stack = &tree->stacks[thread->number];
	if (stack->depth + 1 >= stack->nr_levels && grow_levels(tree, stack))
		return -ENOMEM;
	node = child_of(tree, stack->levels[stack->depth].node, thread, call);
	if (!node)
		return -ENOMEM;
	stack->levels[++stack->depth] = (struct level){ .node = node };
	return 0;
}

static void end_call(struct call_tree *tree, const struct export_thread *thread,
		     const struct export_call *call, const struct export_end *end)
{
	struct stack *stack = &tree->stacks[thread->number];
	const struct level *level = &stack->levels[stack->depth--];
	struct call_node *node = level->node;
	uint64_t ns = end->time > call->start ? end->time - call->start : 0;

	if (!end->is_return)
		return;
	node->count++;
	node->total_ns += ns;
	node->self_ns += ns > level->inner_ns ? ns - level->inner_ns : 0;
	node->min_ns = ns < node->min_ns ? ns : node->min_ns;
	node->max_ns = ns > node->max_ns ? ns : node->max_ns;
	stack->levels[stack->depth].inner_ns += ns;
	if (!stack->depth)
		tree->top.total_ns += ns;
}

/* ---- the tree ---- */

struct call_node *call_tree_next(const struct call_node *node)
{
	if (node->children)
		return node->children;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}

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

int call_tree_sort(struct call_tree *tree)
{
	struct call_node *node = &tree->top;
	int r = 0;

	for (; !r && node; node = call_tree_next(node))
		r = sort_children(node);
	return r;
}

struct call_node *call_tree_alloc(struct call_tree **ret_tree)
{
	*ret_tree = calloc(1, sizeof(**ret_tree));
	return *ret_tree ? &(*ret_tree)->top : NULL;
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
	for (uint32_t i = 0; tree && i < tree->nr_stacks; i++)
		free(tree->stacks[i].levels);
	free(tree ? tree->stacks : NULL);
	free(tree);
}

/* ---- methods of the formats that are written from a call tree ---- */

static struct call_tree *tree_of(const struct export *ex)
{
	const struct call_tree_state *state = ex->state;

	return state->tree;
}

void call_tree_start(struct export *ex)
{
	struct call_tree_state *state = ex->state;

	state->tree = calloc(1, sizeof(*state->tree));
	ex->error = state->tree ? 0 : -ENOMEM;
}

void call_tree_call_begin(struct export *ex, const struct export_thread *thread,
			  const struct export_call *call)
{
	ex->error = begin_call(tree_of(ex), thread, call);
}

void call_tree_call_end(struct export *ex, const struct export_thread *thread,
			const struct export_call *call, const struct export_end *end)
{
	end_call(tree_of(ex), thread, call, end);
}

const struct call_node *call_tree_finish(struct export *ex)
{
	ex->error = call_tree_sort(tree_of(ex));
	return ex->error ? NULL : &tree_of(ex)->top;
}

void call_tree_done(struct export *ex)
{
	call_tree_free(tree_of(ex));
}

/* ---- the format that call_tree_read() uses: it makes the tree and writes nothing ---- */

/* Pass the finished tree to the caller of call_tree_read(). */
static void give_tree(struct export *ex)
{
	struct call_tree_state *state = ex->state;
	struct call_tree **ret_tree = ex->settings->arg;

	if (!call_tree_finish(ex))
		return;
	*ret_tree = state->tree;
	state->tree = NULL;
}

static const struct export_format tree_format = {
	.name = "tree", .needs_calls = true, .state_bytes = sizeof(struct call_tree_state),
	.start = call_tree_start, .call_begin = call_tree_call_begin,
	.call_end = call_tree_call_end, .finish = give_tree, .done = call_tree_done,
};

int call_tree_read(struct datfile *file, struct call_tree **ret_tree,
		   const struct call_node **ret_top)
{
	struct call_tree *tree = NULL;
	const struct export_settings settings = { .selection.until = UINT64_MAX, .arg = &tree };
	struct export_totals totals;
	struct text why;
	int r;

	text_init(&why, TEXT_MAX);
	r = export_files(&file, 1, &tree_format, &settings, -1, &why, &totals);
	text_done(&why);
	if (r) {
		call_tree_free(tree);
		return r;
	}
	*ret_tree = tree;
	*ret_top = &tree->top;
	return 0;
}
