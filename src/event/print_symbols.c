/* SPDX-License-Identifier: MIT */
/* Search the tables of __print_symbolic() and __print_flags() by name. */
#include "event/print_impl.h"

static const struct node *skip_casts(const struct print_program *program, uint32_t n)
{
	while (program->nodes[n].op == OP_CAST)
		n = program->nodes[n].a;
	return &program->nodes[n];
}

static bool is_field_load(const struct node *node, uint32_t offset)
{
	return node->op == OP_FIELD && node->imm == offset;
}

/* Returns true if the node @table, a call of __print_symbolic() or __print_flags(),
 * prints the field at @offset.  __print_flags() may also print FIELD & CONSTANT, in
 * either order. */
static bool prints_field(const struct print_program *program, const struct node *table,
			 uint32_t offset)
{
	const struct node *of = skip_casts(program, table->a), *a, *b;

	if (table->op != OP_FLAGS || of->op != OP_AND)
		return is_field_load(of, offset);
	a = skip_casts(program, of->a);
	b = skip_casts(program, of->b);
	return (is_field_load(a, offset) && b->op == OP_CONST) ||
	       (is_field_load(b, offset) && a->op == OP_CONST);
}

void print_each_symbol(const struct print_program *program, uint32_t offset,
		       print_symbol_fn *each, void *arg)
{
	const char *pool = program->pool.data;

	for (size_t n = 0; n < program->nr_nodes; n++) {
		const struct node *node = &program->nodes[n];
		bool is_its = (node->op == OP_SYMBOLIC || node->op == OP_FLAGS) &&
			      prints_field(program, node, offset);
		uint32_t nr = node->op == OP_SYMBOLIC || node->op == OP_FLAGS ? node->c : 0;

		for (uint32_t i = 0; i < nr; i++) {
			const struct row *row = &program->rows[node->b + i];

			if (row->name_len)
				each(arg, pool + row->name, row->name_len, row->value, true);
			if (is_its && row->len)
				each(arg, pool + row->str, row->len, row->value, false);
		}
	}
}
