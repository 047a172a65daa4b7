/* SPDX-License-Identifier: MIT */
/*
 * Folded stacks, which flamegraph.pl, Speedscope and inferno read.  A line has a stack, as
 * the names of its functions from the outermost function on, and a time in ns: that of the
 * innermost function without the calls that it has made.
 */
#include <inttypes.h>

#include "export/call_tree.h"
#include "export/export_impl.h"

#define FRAMES_MAX	1024u		/* maximum number of functions of a stack that are
					 * written; of a deeper stack these are the innermost
					 * functions */

static void put_frame(const struct call_node *node, struct text *out)
{
	size_t start = out->len;

	if (!node->name) {
		text_printf(out, "0x%" PRIx64, node->addr);
		return;
	}
	text_puts(out, node->name);
	/* Replace the characters that would end the name of a function or a line. */
	for (size_t i = start; i < out->len; i++)
		if (out->data[i] == ';' || out->data[i] == '\n')
			out->data[i] = ':';
}

/* Append the names of the node's callers and of the node, with a ; between them. */
static void put_stack(const struct call_node *node, struct text *out)
{
	const struct call_node *frames[FRAMES_MAX];
	uint32_t nr = 0;

	for (; node->parent && nr < FRAMES_MAX; node = node->parent)
		frames[nr++] = node;
	if (node->parent)
		text_puts(out, "...;");
	while (nr--) {
		put_frame(frames[nr], out);
		if (nr)
			text_putc(out, ';');
	}
}

void export_put_folded(struct export *ex, const struct call_node *top)
{
	const struct call_node *node = top;

	while ((node = call_tree_next(node))) {
		if (!node->self_ns)
			continue;
		put_stack(node, &ex->out);
		text_putc(&ex->out, ' ');
		export_put_uint(&ex->out, node->self_ns);
		text_putc(&ex->out, '\n');
		export_flush_if_full(ex);
	}
}

static void finish(struct export *ex)
{
	const struct call_node *top = call_tree_finish(ex);

	if (top)
		export_put_folded(ex, top);
}

const struct export_format export_folded = {
	.name = "folded", .suffix = "folded",
	.needs_calls = true, .state_bytes = sizeof(struct call_tree_state),
	.start = call_tree_start, .call_begin = call_tree_call_begin,
	.call_end = call_tree_call_end, .finish = finish, .done = call_tree_done,
};
