/* SPDX-License-Identifier: MIT */
/* Parse expressions.  The grammar is that of C, without the operators that change a variable. */
#include "event/print_parse.h"

#include <errno.h>
#include <string.h>

/* Identifiers that are known in every print fmt, with their values. */
static const struct {
	const char *name;
	int value;
} known_names[] = {
	{ "true", 1 }, { "false", 0 },
	{ "DUMP_PREFIX_NONE", 0 }, { "DUMP_PREFIX_ADDRESS", 1 },
	{ "DUMP_PREFIX_OFFSET", 2 },
};

static bool enter_nesting(struct compiler *c)
{
	if (++c->depth > PRINT_MAX_DEPTH)
		print_fail(c, -E2BIG, "too deep");
	return !c->error;
}

/* Parse a sequence of string literals.  Adjacent literals form one string. */
uint32_t print_parse_string(struct compiler *c)
{
	struct text *pool = &c->program->pool;
	size_t start = pool->len;

	while (c->tok.kind == TOK_STRING) {
		print_string_decode(c, c->tok.text + 1, c->tok.len - 2);
		print_next_token(c);
	}
	if (pool->error) {
		print_fail(c, pool->error, "too large");
		return 0;
	}
	return print_node(c, (struct node){
		.op = OP_STR, .type = print_type_str, .imm = start,
		.a = pool->len - start });
}

const struct local *print_local_find(const struct compiler *c)
{
	for (unsigned int i = c->nr_locals; i-- > 0;) {
		const struct local *local = &c->locals[i];

		if (local->len == c->tok.len &&
		    memcmp(local->name, c->tok.text, c->tok.len) == 0)
			return local;
	}
	return NULL;
}

static uint32_t parse_constant(struct compiler *c, struct token name)
{
	struct value_type null = { .size = 1, .is_ptr = true };
	int64_t value;

	for (size_t i = 0; i < sizeof(known_names) / sizeof(known_names[0]); i++) {
		if (strlen(known_names[i].name) == name.len &&
		    memcmp(known_names[i].name, name.text, name.len) == 0)
			return print_node_const(c, known_names[i].value,
						print_type_int);
	}
	if (name.len == 4 && memcmp(name.text, "NULL", 4) == 0)
		return print_node_const(c, 0, null);
	if (c->names && c->names->lookup &&
	    c->names->lookup(c->names->ctx, name.text, name.len, &value) == 0)
		return print_node_const(c, value, value == (int32_t)value ?
					print_type_int : print_type_long);
	print_fail_unknown(c, name, "unknown name",
			   "TRACE_DEFINE_ENUM() tells the value of an enum; "
			   "keep anything else in a field");
	return 0;
}

static uint32_t parse_name(struct compiler *c)
{
	const struct local *local = print_local_find(c);
	struct token name = c->tok;

	if (local) {
		print_next_token(c);
		return print_node(c, (struct node){
			.op = OP_LOCAL, .type = local->type, .imm = local->slot });
	}
	if (print_is_name(c, "REC"))
		return print_parse_rec(c);
	print_next_token(c);
	if (print_is_punct(c, '('))
		return print_parse_call(c, name);
	return parse_constant(c, name);
}

static uint32_t parse_primary(struct compiler *c)
{
	struct token tok = c->tok;
	uint32_t n = 0;

	switch (tok.kind) {
	case TOK_NAME:
		return parse_name(c);
	case TOK_STRING:
		return print_parse_string(c);
	case TOK_NUMBER:
		print_next_token(c);
		return print_node_const(c, tok.value, tok.type);
	default:
		break;
	}
	if (!print_accept_punct(c, '(')) {
		print_fail(c, -EINVAL, "expression expected");
		return 0;
	}
	if (print_accept_punct(c, '{'))
		n = print_parse_block(c);
	else
		n = print_parse_expr(c);
	print_expect_punct(c, ')', ") expected");
	return n;
}

static uint32_t parse_postfix(struct compiler *c)
{
	uint32_t n = parse_primary(c), i;

	if (print_is_rec(c, n) && print_accept_punct(c, PUNCT2('-', '>')))
		n = print_parse_member(c);
	while (print_accept_punct(c, '[')) {
		i = print_parse_expr(c);
		print_expect_punct(c, ']', "] expected");
		n = print_node_load(c, print_node_binary(c, OP_ADD, n, i));
	}
	if (print_is_punct(c, '.') || print_is_punct(c, PUNCT2('-', '>')))
		print_fail_unknown(c, c->tok, "members of this struct are not known",
				   "keep the member in a field of its own");
	return n;
}

static uint32_t parse_sizeof(struct compiler *c)
{
	struct mark mark;
	uint32_t n;

	print_next_token(c);
	mark = print_mark(c);
	if (print_accept_punct(c, '(') && print_at_type(c, true))
		return print_parse_sizeof_type(c);
	print_rewind(c, mark);
	n = print_parse_unary(c);
	return print_node_const(c, print_node_sizeof(c, n), print_type_ulong);
}

static uint32_t parse_cast(struct compiler *c)
{
	struct token start = c->tok;
	struct value_type type;

	if (print_parse_type(c, &type))
		return print_node_cast(c, print_parse_unary(c), type);
	print_fail_unknown(c, start, "a cast to a type of unknown size",
			   "use a type that is known: int, u32, unsigned long ...");
	return 0;
}

static uint32_t parse_prefix_operator(struct compiler *c)
{
	struct mark mark = print_mark(c);

	if (print_accept_punct(c, '-'))
		return print_node_unary(c, OP_NEG, print_parse_unary(c));
	if (print_accept_punct(c, '~'))
		return print_node_unary(c, OP_INV, print_parse_unary(c));
	if (print_accept_punct(c, '!'))
		return print_node_unary(c, OP_NOT, print_parse_unary(c));
	if (print_accept_punct(c, '+'))
		return print_parse_unary(c);
	if (print_accept_punct(c, '*'))
		return print_node_load(c, print_parse_unary(c));
	if (print_accept_punct(c, '&'))
		return print_node_addr(c, print_parse_unary(c));
	if (print_is_name(c, "sizeof"))
		return parse_sizeof(c);
	if (print_is_punct(c, '(')) {
		print_next_token(c);
		if (print_at_type(c, false))
			return parse_cast(c);
		print_rewind(c, mark);
	}
	return parse_postfix(c);
}

uint32_t print_parse_unary(struct compiler *c)
{
	uint32_t n = 0;

	if (enter_nesting(c))
		n = parse_prefix_operator(c);
	c->depth--;
	return n;
}

/* The binary operators with their levels of precedence.  An operator with a higher level
 * binds more tightly. */
static const struct {
	int punct;
	uint8_t level;
	uint8_t op;
} operators[] = {
	{ PUNCT2('|', '|'), 1, OP_LOR }, { PUNCT2('&', '&'), 2, OP_LAND },
	{ '|', 3, OP_OR }, { '^', 4, OP_XOR }, { '&', 5, OP_AND },
	{ PUNCT2('=', '='), 6, OP_EQ }, { PUNCT2('!', '='), 6, OP_NE },
	{ '<', 7, OP_LT }, { '>', 7, OP_GT },
	{ PUNCT2('<', '='), 7, OP_LE }, { PUNCT2('>', '='), 7, OP_GE },
	{ PUNCT2('<', '<'), 8, OP_SHL }, { PUNCT2('>', '>'), 8, OP_SHR },
	{ '+', 9, OP_ADD }, { '-', 9, OP_SUB },
	{ '*', 10, OP_MUL }, { '/', 10, OP_DIV }, { '%', 10, OP_MOD },
};

/* Returns the index of the operator at the current token, or -1 if the token is no operator,
 * or an operator whose level is below @min_level. */
static int find_binary_operator(const struct compiler *c, unsigned int min_level)
{
	if (c->tok.kind != TOK_PUNCT)
		return -1;
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		if (operators[i].punct == c->tok.punct)
			return operators[i].level >= min_level ? (int)i : -1;
	}
	return -1;
}

static uint32_t parse_binary(struct compiler *c, unsigned int min_level)
{
	uint32_t n = print_parse_unary(c), b;
	int i;

	while (!c->error && (i = find_binary_operator(c, min_level)) >= 0) {
		print_next_token(c);
		b = parse_binary(c, operators[i].level + 1);
		n = print_node_binary(c, operators[i].op, n, b);
	}
	return n;
}

/* Parse a ?: b, gcc's extension for a ? a : b.  The value of a goes to a local
 * variable, so that a is evaluated only once. */
static uint32_t parse_elvis(struct compiler *c, uint32_t a)
{
	struct value_type type = print_node_at(c, a)->type;
	uint32_t slot = c->program->nr_locals, local, n;

	if (slot == PRINT_MAX_LOCALS) {
		print_fail(c, -E2BIG, "too many variables");
		return 0;
	}
	c->program->nr_locals++;
	local = print_node(c, (struct node){
		.op = OP_LOCAL, .type = type, .imm = slot });
	n = print_node_cond(c, local, local, print_parse_arg(c));
	return print_node(c, (struct node){
		.op = OP_LET, .type = print_node_at(c, n)->type, .a = a, .b = n,
		.imm = slot });
}

static uint32_t parse_cond(struct compiler *c)
{
	uint32_t n = parse_binary(c, 1), b;

	if (!print_accept_punct(c, '?'))
		return n;
	if (print_accept_punct(c, ':'))
		return parse_elvis(c, n);
	b = print_parse_expr(c);
	print_expect_punct(c, ':', ": expected");
	return print_node_cond(c, n, b, print_parse_arg(c));
}

uint32_t print_parse_arg(struct compiler *c)
{
	uint32_t n = 0;

	if (enter_nesting(c))
		n = parse_cond(c);
	c->depth--;
	return n;
}

uint32_t print_parse_expr(struct compiler *c)
{
	uint32_t n = print_parse_arg(c);

	/* Parse the comma operator.  No expression of a print fmt has a side effect, so
	 * only the last expression matters. */
	while (print_accept_punct(c, ','))
		n = print_parse_arg(c);
	return n;
}
