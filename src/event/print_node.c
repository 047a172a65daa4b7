/* SPDX-License-Identifier: MIT */
/* Add nodes to the tree of an expression.  The type of a node is computed by the rules of C.
 * A node with a constant value is replaced by a constant at once (constant folding). */
#include "event/print_parse.h"

#include <errno.h>
#include <stdlib.h>

const struct value_type print_type_int = { .size = 4, .is_signed = true };
const struct value_type print_type_uint = { .size = 4 };
const struct value_type print_type_long = { .size = 8, .is_signed = true };
const struct value_type print_type_ulong = { .size = 8 };
const struct value_type print_type_double = { .size = 8, .is_signed = true,
					      .is_float = true };
const struct value_type print_type_str = { .size = 1, .is_signed = true,
					   .is_ptr = true };

bool print_reserve_row(struct compiler *c, void **array, size_t nr, size_t *cap,
		       size_t elem, size_t max)
{
	size_t want = *cap ? *cap * 2 : 16;
	void *bigger;

	if (c->error)
		return false;
	if (nr < *cap)
		return true;
	if (nr >= max) {
		print_fail(c, -E2BIG, "too large");
		return false;
	}
	bigger = reallocarray(*array, want, elem);
	if (!bigger) {
		print_fail(c, -ENOMEM, "out of memory");
		return false;
	}
	*array = bigger;
	*cap = want;
	return true;
}

static unsigned int node_height(const struct compiler *c, uint32_t n)
{
	return print_node_at(c, n)->height;
}

/* Returns the greatest height among the operands of @node. */
static unsigned int max_operand_height(const struct compiler *c, const struct node *node)
{
	unsigned int a = 0, b = 0, x = 0;

	switch (node->op) {
	case OP_CONST:
	case OP_STR:
	case OP_FIELD:
	case OP_ADDR:
	case OP_DYN:
	case OP_DYNLEN:
	case OP_LOCAL:
		return 0;
	case OP_FLAGS:
	case OP_SYMBOLIC:
		return node_height(c, node->a);
	case OP_HEXDUMP:
		for (unsigned int i = 0; i < HEXDUMP_ARGS; i++) {
			a = node_height(c, c->program->args[node->imm + i]);
			b = a > b ? a : b;
		}
		return b;
	default:
		a = node_height(c, node->a);
		b = node_height(c, node->b);
		x = node_height(c, node->c);
		a = a > b ? a : b;
		return a > x ? a : x;
	}
}

uint32_t print_node(struct compiler *c, struct node node)
{
	struct print_program *p = c->program;
	unsigned int height;

	if (!print_reserve_row(c, (void **)&p->nodes, p->nr_nodes, &p->cap_nodes,
			       sizeof(node), PRINT_MAX_NODES))
		return 0;
	height = max_operand_height(c, &node) + 1;
	if (height > PRINT_MAX_HEIGHT) {
		print_fail(c, -E2BIG, "too deep");
		return 0;
	}
	node.height = height;
	p->nodes[p->nr_nodes] = node;
	return p->nr_nodes++;
}

uint32_t print_node_const(struct compiler *c, uint64_t value,
			  struct value_type type)
{
	return print_node(c, (struct node){
		.op = OP_CONST, .type = type, .imm = value });
}

static bool is_const_node(const struct compiler *c, uint32_t n)
{
	return print_node_at(c, n)->op == OP_CONST;
}

/* If the value of node @n is constant, change the node to OP_CONST.  Returns @n. */
static uint32_t fold_node(struct compiler *c, uint32_t n)
{
	struct run run = { .program = c->program };
	struct val val;

	if (c->error)
		return 0;
	val = print_eval(&run, n);
	if (val.kind != VAL_INT)
		return n;
	c->program->nodes[n] = (struct node){
		.op = OP_CONST, .type = print_node_at(c, n)->type, .height = 1,
		.imm = val.u };
	return n;
}

/* Returns the type that C's integer promotion gives.  A pointer becomes unsigned long. */
static struct value_type promote_type(struct value_type type)
{
	if (type.is_ptr)
		return print_type_ulong;
	if (type.is_float)
		return print_type_double;
	if (type.size < 4)
		return print_type_int;
	return type;
}

/* Returns the common type of two operands, by C's usual arithmetic conversions. */
static struct value_type common_type(struct value_type a, struct value_type b)
{
	a = promote_type(a);
	b = promote_type(b);
	if (a.is_float || b.is_float)
		return print_type_double;
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return a.is_signed ? b : a;
}

/* Returns a node whose value is 0 if and only if the value of @a is 0.  It is @a itself, or
 * for floats a node for @a != 0.0. */
static uint32_t make_truth_node(struct compiler *c, uint32_t a)
{
	if (!type_is_float(print_node_at(c, a)->type))
		return a;
	return print_node_binary(c, OP_NE, a,
				 print_node_const(c, 0, print_type_double));
}

uint32_t print_node_unary(struct compiler *c, enum node_op op, uint32_t a)
{
	struct value_type type = promote_type(print_node_at(c, a)->type);
	uint32_t n;

	if (op == OP_NOT) {
		a = make_truth_node(c, a);
		type = print_type_int;
	} else if (op != OP_NEG && type.is_float) {
		print_fail(c, -EINVAL, "an operator that is for integers");
		return 0;
	}
	n = print_node(c, (struct node){ .op = op, .type = type, .a = a });
	return is_const_node(c, a) ? fold_node(c, n) : n;
}

static bool is_ptr_node(const struct compiler *c, uint32_t n)
{
	return print_node_at(c, n)->type.is_ptr;
}

static uint32_t make_ptr_add_node(struct compiler *c, uint32_t ptr, uint32_t i, bool is_sub)
{
	struct value_type type = print_node_at(c, ptr)->type;
	uint64_t scale = type.size;

	if (!type.size) {
		print_fail(c, -EINVAL, "arithmetic with a pointer to what?");
		return 0;
	}
	return print_node(c, (struct node){
		.op = OP_PTRADD, .type = type, .a = ptr, .b = i,
		.imm = is_sub ? -scale : scale });
}

static bool takes_float_operands(enum node_op op)
{
	return op == OP_MUL || op == OP_DIV || op == OP_ADD || op == OP_SUB ||
	       (op >= OP_LT && op <= OP_NE);
}

uint32_t print_node_binary(struct compiler *c, enum node_op op, uint32_t a,
			   uint32_t b)
{
	struct value_type ta = print_node_at(c, a)->type, tb = print_node_at(c, b)->type;
	struct node node = { .op = op, .a = a, .b = b };
	uint32_t n;

	if (c->error)
		return 0;
	if (op == OP_ADD && ta.is_ptr != tb.is_ptr)
		return ta.is_ptr ? make_ptr_add_node(c, a, b, false) :
				   make_ptr_add_node(c, b, a, false);
	if (op == OP_SUB && ta.is_ptr && !tb.is_ptr)
		return make_ptr_add_node(c, a, b, true);

	if (op == OP_LAND || op == OP_LOR) {
		node.a = make_truth_node(c, a);
		node.b = make_truth_node(c, b);
		a = node.a;
		b = node.b;
		ta = print_node_at(c, a)->type;
		tb = print_node_at(c, b)->type;
	}
	node.calc = common_type(ta, tb);
	if (node.calc.is_float) {
		if (!takes_float_operands(op)) {
			print_fail(c, -EINVAL, "an operator that is for integers");
			return 0;
		}
		a = node.a = print_node_cast(c, a, print_type_double);
		b = node.b = print_node_cast(c, b, print_type_double);
	}
	if (op == OP_SHL || op == OP_SHR)
		node.calc = promote_type(ta);
	node.type = node.calc;
	if ((op >= OP_LT && op <= OP_NE) || op == OP_LAND || op == OP_LOR)
		node.type = print_type_int;
	n = print_node(c, node);
	return is_const_node(c, a) && is_const_node(c, b) ? fold_node(c, n) : n;
}

uint32_t print_node_cond(struct compiler *c, uint32_t a, uint32_t b, uint32_t x)
{
	struct value_type type;

	a = make_truth_node(c, a);
	if (c->error)
		return 0;
	if (is_ptr_node(c, b))
		type = print_node_at(c, b)->type;
	else if (is_ptr_node(c, x))
		type = print_node_at(c, x)->type;
	else
		type = common_type(print_node_at(c, b)->type, print_node_at(c, x)->type);
	if (type_is_float(type)) {
		b = print_node_cast(c, b, type);
		x = print_node_cast(c, x, type);
	}
	if (is_const_node(c, a))
		return print_node_cast(c, print_node_at(c, a)->imm ? b : x, type);
	return print_node(c, (struct node){
		.op = OP_COND, .type = type, .a = a, .b = b, .c = x });
}

static bool is_same_type(struct value_type a, struct value_type b)
{
	return a.size == b.size && a.is_signed == b.is_signed &&
	       a.is_ptr == b.is_ptr && a.is_bool == b.is_bool &&
	       a.is_float == b.is_float;
}

uint32_t print_node_cast(struct compiler *c, uint32_t a, struct value_type type)
{
	uint32_t n;

	if (c->error || is_same_type(print_node_at(c, a)->type, type))
		return a;
	if ((type_is_float(type) && print_node_at(c, a)->type.is_ptr) ||
	    (type_is_float(print_node_at(c, a)->type) && type.is_ptr)) {
		print_fail(c, -EINVAL, "a pointer is no floating-point number");
		return 0;
	}
	n = print_node(c, (struct node){ .op = OP_CAST, .type = type, .a = a });
	return is_const_node(c, a) ? fold_node(c, n) : n;
}

uint32_t print_node_load(struct compiler *c, uint32_t ptr)
{
	struct value_type type = print_node_at(c, ptr)->type;

	if (c->error)
		return 0;
	if (!type.is_ptr || (type.size != 1 && type.size != 2 &&
			     type.size != 4 && type.size != 8)) {
		print_fail(c, -EINVAL, "not a pointer to a number");
		return 0;
	}
	type.is_ptr = false;
	return print_node(c, (struct node){ .op = OP_LOAD, .type = type, .a = ptr });
}

/* Make the node for &a.  If a was loaded through a pointer, the result is the node of the
 * pointer.  If a is an array, the result is the node of the array itself.  If a is another
 * field, the result is a new node: a pointer to the field. */
uint32_t print_node_addr(struct compiler *c, uint32_t a)
{
	struct node node = *print_node_at(c, a);

	if (c->error)
		return 0;
	switch (node.op) {
	case OP_LOAD:
		return node.a;
	case OP_ADDR:
	case OP_DYN:
		return a;
	case OP_FIELD:
		if (node.type.is_ptr)
			node.type = print_type_ulong;
		node.op = OP_ADDR;
		node.a = node.imm + node.type.size;
		node.type.is_ptr = true;
		return print_node(c, node);
	case OP_LOCAL:
		/* Any number except 0 is good enough as an address: only macros like
		 * min() take the address of a variable, and they do it only to compare
		 * types. */
		return print_node_const(c, node.imm + 1, print_type_ulong);
	default:
		print_fail(c, -EINVAL, "has no address");
		return 0;
	}
}

/* Raise print_program.min_len, so that print_record() refuses records which are too
 * short to contain @field. */
static void require_field_bytes(struct compiler *c, const struct event_field *field)
{
	uint64_t end = (uint64_t)field->offset + field->size;

	if (end >= UINT32_MAX)
		print_fail(c, -E2BIG, "field beyond all measure");
	else if (end > c->program->min_len)
		c->program->min_len = end;
}

/* Returns true if the field is a float or double, or an array of floats or doubles. */
static bool is_float_field(const struct event_field *field)
{
	const char *type = field->type;
	struct value_type value;

	if (field->kind == FIELD_DATA_LOC || field->kind == FIELD_REL_LOC)
		type = strchrnul(type, ' ');
	return type_lookup(type, strcspn(type, "["), &value) &&
	       type_is_float(value) && value.size == event_field_elem_size(field);
}

static bool is_number_size(uint32_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

uint32_t print_node_dyn(struct compiler *c, const struct event_field *field,
			enum node_op op)
{
	struct node node = { .op = op, .imm = field->offset };

	if (field->size != 4) {
		print_fail(c, -EINVAL, "not a dynamic array");
		return 0;
	}
	require_field_bytes(c, field);
	if (op == OP_DYN) {
		uint32_t elem = event_field_elem_size(field);

		node.type = (struct value_type){
			.size = is_number_size(elem) ? elem : 0,
			.is_signed = field->is_signed, .is_ptr = true,
			.is_float = is_float_field(field) };
		node.a = field->kind == FIELD_REL_LOC;
	} else {
		node.type = print_type_int;
	}
	return print_node(c, node);
}

/* Make the node for REC->field, which is a number, or a pointer to the array or struct. */
uint32_t print_node_field(struct compiler *c, const struct event_field *field)
{
	struct node node = { .op = OP_ADDR, .imm = field->offset };
	uint32_t elem = event_field_elem_size(field);

	if (field->kind == FIELD_DATA_LOC || field->kind == FIELD_REL_LOC)
		return print_node_dyn(c, field, OP_DYN);
	require_field_bytes(c, field);
	node.type.size = is_number_size(elem) ? elem : 0;
	node.type.is_signed = field->is_signed;
	node.type.is_float = is_float_field(field);
	if (field->kind == FIELD_PLAIN && is_number_size(field->size)) {
		/* If the field is a pointer, its C type may say what the pointer points
		 * to. */
		struct value_type type;

		node.op = OP_FIELD;
		if (strchr(field->type, '*') && field->size == 8 &&
		    type_lookup(field->type, strlen(field->type), &type))
			node.type = type;
		return print_node(c, node);
	}
	node.type.is_ptr = true;
	node.a = field->size ? field->offset + field->size : UINT32_MAX;
	return print_node(c, node);
}

uint64_t print_node_sizeof(const struct compiler *c, uint32_t a)
{
	const struct node *node = print_node_at(c, a);

	if (node->op == OP_ADDR && node->a != UINT32_MAX)
		return node->a - node->imm;
	if (node->op == OP_STR)
		return (uint64_t)node->a + 1;
	return node->type.is_ptr ? 8 : node->type.size;
}
