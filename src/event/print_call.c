/* SPDX-License-Identifier: MIT */
/* Parse the calls of functions in a print fmt: __get_str(), __print_flags() and the others. */
#include "event/print_parse.h"

#include <errno.h>
#include <string.h>

/*
 * A function that a print fmt may call.  Its parse() begins after the '(' and ends before
 * the ')'.
 */
struct call {
	const char *name;
	uint32_t (*parse)(struct compiler *c, const struct call *call);
	uint32_t arg;		/* a number that parse() uses: an operator, a number of bytes
				 * or a flag */
};

static void expect_comma(struct compiler *c)
{
	print_expect_punct(c, ',', ", expected");
}

/* Parse the name of a dynamic field of the record.  Returns NULL after an error. */
static const struct event_field *parse_dyn_name(struct compiler *c)
{
	const struct event_field *field = NULL;

	if (c->tok.kind == TOK_NAME)
		field = event_format_find(c->fmt, c->tok.text, c->tok.len);
	if (!field || (field->kind != FIELD_DATA_LOC &&
		       field->kind != FIELD_REL_LOC)) {
		print_fail(c, -EINVAL, "no such dynamic field");
		return NULL;
	}
	print_next_token(c);
	return field;
}

static uint32_t parse_dyn(struct compiler *c, const struct call *call)
{
	const struct event_field *field = parse_dyn_name(c);

	return field ? print_node_dyn(c, field, call->arg) : 0;
}

static uint32_t parse_str(struct compiler *c, const struct call *call)
{
	return print_node_cast(c, parse_dyn(c, call), print_type_str);
}

static uint32_t parse_bitmask(struct compiler *c, const struct call *call)
{
	uint32_t n = parse_dyn(c, call);

	return print_node(c, (struct node){
		.op = OP_BITMASK, .type = print_type_str, .a = n });
}

/* Parse a string literal.  Returns false after an error, or if there is a NULL in place of a
 * literal. */
static bool parse_literal(struct compiler *c, struct node *ret_str)
{
	uint32_t n = print_parse_arg(c);

	*ret_str = *print_node_at(c, n);
	if (c->error)
		return false;
	if (ret_str->op == OP_CONST && !ret_str->imm)
		return false;
	if (ret_str->op != OP_STR) {
		print_fail(c, -EINVAL, "string expected");
		return false;
	}
	return true;
}

/* Parse an expression that must be a constant.  Returns its value. */
static uint64_t parse_value(struct compiler *c)
{
	uint32_t n = print_parse_arg(c);

	if (print_node_at(c, n)->op != OP_CONST)
		print_fail(c, -EINVAL, "constant expected");
	return print_node_at(c, n)->imm;
}

/* Skip an expression whose value is already known.  Stop at the ',' or '}' after the
 * expression. */
static void skip_value(struct compiler *c)
{
	unsigned int depth = 0;

	while (!c->error && c->tok.kind != TOK_END &&
	       (depth || (!print_is_punct(c, ',') && !print_is_punct(c, '}')))) {
		if (print_is_punct(c, '(') || print_is_punct(c, '{') || print_is_punct(c, '['))
			depth++;
		else if (print_is_punct(c, ')') || print_is_punct(c, '}') || print_is_punct(c, ']'))
			depth--;
		print_next_token(c);
	}
}

/*
 * Returns the value of a row { value, "name" } of __print_symbolic() or __print_flags().  If
 * the program has provided the values that its C compiler computed, returns the value for
 * this row.  Otherwise computes the value from the text.  Returns 0 if skip_tables is set.
 */
static uint64_t parse_row_value(struct compiler *c)
{
	bool is_known = c->names && c->names->skip_tables;

	if (!c->fmt->nr_values && !is_known)
		return parse_value(c);
	skip_value(c);
	if (is_known)
		return 0;
	if (c->nr_rows <= c->fmt->nr_values)
		return (uint64_t)c->fmt->values[c->nr_rows - 1];
	print_fail(c, -EINVAL, "more rows than the program has values for");
	return 0;
}

/* Store the identifier of @row for print_each_symbol(), if the row's value is written as a
 * single identifier. */
static void keep_row_name(struct compiler *c, struct row *row)
{
	struct mark mark = print_mark(c);
	struct text *pool = &c->program->pool;

	row->name_len = 0;
	if (c->tok.kind != TOK_NAME)
		return;
	print_next_token(c);
	if (print_is_punct(c, ',') && pool->len + mark.tok.len < PRINT_MAX_POOL) {
		row->name = (uint32_t)pool->len;
		row->name_len = (uint32_t)mark.tok.len;
		text_write(pool, mark.tok.text, mark.tok.len);
	}
	print_rewind(c, mark);
}

/* Parse a row { value, "name" } of __print_symbolic() or __print_flags().  Returns false for
 * the empty row at the end of a table. */
static bool parse_row(struct compiler *c, struct row *row)
{
	struct node str;
	bool has_name;

	print_expect_punct(c, '{', "{ expected");
	c->nr_rows++;
	if (print_accept_punct(c, '}'))
		return false;
	keep_row_name(c, row);
	row->value = parse_row_value(c);
	expect_comma(c);
	has_name = parse_literal(c, &str);
	row->str = str.imm;
	row->len = str.a;
	print_accept_punct(c, ',');
	print_expect_punct(c, '}', "} expected");
	return has_name;
}

static void parse_rows(struct compiler *c, struct node *node)
{
	struct print_program *p = c->program;
	struct row row;
	bool is_over = false;

	node->b = p->nr_rows;
	while (!c->error && print_is_punct(c, '{')) {
		if (!parse_row(c, &row))
			is_over = true;
		if (!is_over &&
		    print_reserve_row(c, (void **)&p->rows, p->nr_rows, &p->cap_rows,
				      sizeof(row), PRINT_MAX_ITEMS))
			p->rows[p->nr_rows++] = row;
		if (!print_accept_punct(c, ','))
			break;
	}
	node->c = p->nr_rows - node->b;
}

static uint32_t parse_print_flags(struct compiler *c, const struct call *call)
{
	struct node node = { .op = OP_FLAGS, .type = print_type_str }, str;

	(void)call;
	node.a = print_parse_arg(c);
	expect_comma(c);
	if (parse_literal(c, &str))
		node.imm = (uint64_t)str.a << 32 | str.imm;
	if (print_accept_punct(c, ','))
		parse_rows(c, &node);
	return print_node(c, node);
}

static uint32_t parse_symbolic(struct compiler *c, const struct call *call)
{
	struct node node = { .op = OP_SYMBOLIC, .type = print_type_str };

	(void)call;
	node.a = print_parse_arg(c);
	if (print_accept_punct(c, ','))
		parse_rows(c, &node);
	return print_node(c, node);
}

static uint32_t parse_hex(struct compiler *c, const struct call *call)
{
	struct node node = { .op = OP_HEX, .type = print_type_str,
			     .imm = call->arg };

	node.a = print_parse_arg(c);
	expect_comma(c);
	node.b = print_parse_arg(c);
	return print_node(c, node);
}

static uint32_t parse_array(struct compiler *c, const struct call *call)
{
	struct node node = { .op = OP_ARRAY, .type = print_type_str };

	(void)call;
	node.a = print_parse_arg(c);
	expect_comma(c);
	node.b = print_parse_arg(c);
	expect_comma(c);
	node.c = print_parse_arg(c);
	return print_node(c, node);
}

static uint32_t parse_dynamic_array(struct compiler *c, const struct call *call)
{
	const struct event_field *field = parse_dyn_name(c);
	struct node node = { .op = OP_ARRAY, .type = print_type_str };
	uint32_t len;

	(void)call;
	if (!field)
		return 0;
	node.a = print_node_dyn(c, field, OP_DYN);
	len = print_node_dyn(c, field, OP_DYNLEN);
	expect_comma(c);
	node.c = print_parse_arg(c);
	node.b = print_node_binary(c, OP_DIV, len, node.c);
	return print_node(c, node);
}

/* Parse a call of __print_hex_dump().  The arguments are: prefix, prefix type, row size,
 * group size, buffer, length, ASCII flag. */
static uint32_t parse_hex_dump(struct compiler *c, const struct call *call)
{
	struct print_program *p = c->program;
	struct node node = { .op = OP_HEXDUMP, .type = print_type_str };
	uint32_t args[HEXDUMP_ARGS];
	const struct node *prefix;

	(void)call;
	for (unsigned int i = 0; i < HEXDUMP_ARGS; i++) {
		if (i)
			expect_comma(c);
		args[i] = print_parse_arg(c);
	}
	prefix = print_node_at(c, args[0]);
	if (prefix->op != OP_STR && prefix->op != OP_CONST) {
		print_fail(c, -EINVAL, "the prefix must be a string");
		return 0;
	}
	node.imm = p->nr_args;
	for (unsigned int i = 0; i < HEXDUMP_ARGS; i++) {
		if (!print_reserve_row(c, (void **)&p->args, p->nr_args, &p->cap_args,
				       sizeof(args[0]), PRINT_MAX_ITEMS))
			return 0;
		p->args[p->nr_args++] = args[i];
	}
	return print_node(c, node);
}

static uint32_t parse_ns(struct compiler *c, const struct call *call)
{
	uint32_t n = print_node_cast(c, print_parse_arg(c), print_type_ulong);
	uint32_t ns = print_node_const(c, 1000000000, print_type_ulong);

	return print_node_binary(c, call->arg, n, ns);
}

static uint32_t parse_expect(struct compiler *c, const struct call *call)
{
	uint32_t n = print_parse_arg(c);

	(void)call;
	expect_comma(c);
	print_parse_arg(c);
	return n;
}

/* Flag in call.arg, added to the number of bytes: the bytes are already in the right
 * order, so they must not be swapped. */
enum { BSWAP_NONE = 0x100 };

static uint32_t parse_bswap(struct compiler *c, const struct call *call)
{
	struct value_type type = { .size = call->arg & 0xff };
	uint32_t n = print_node_cast(c, print_parse_arg(c), type);

	if (call->arg & BSWAP_NONE)
		return n;
	return print_node(c, (struct node){
		.op = OP_BSWAP, .type = type, .a = n });
}

static const struct call calls[] = {
	{ "__get_str", parse_str, OP_DYN },
	{ "__get_rel_str", parse_str, OP_DYN },
	{ "__get_dynamic_array", parse_dyn, OP_DYN },
	{ "__get_rel_dynamic_array", parse_dyn, OP_DYN },
	{ "__get_dynamic_array_len", parse_dyn, OP_DYNLEN },
	{ "__get_rel_dynamic_array_len", parse_dyn, OP_DYNLEN },
	{ "__get_sockaddr", parse_dyn, OP_DYN },
	{ "__get_rel_sockaddr", parse_dyn, OP_DYN },
	{ "__get_bitmask", parse_bitmask, OP_DYN },
	{ "__get_rel_bitmask", parse_bitmask, OP_DYN },
	{ "__get_cpumask", parse_bitmask, OP_DYN },
	{ "__get_rel_cpumask", parse_bitmask, OP_DYN },
	{ "__print_flags", parse_print_flags, 0 },
	{ "__print_flags_u64", parse_print_flags, 0 },
	{ "__print_symbolic", parse_symbolic, 0 },
	{ "__print_symbolic_u64", parse_symbolic, 0 },
	{ "__print_hex", parse_hex, false },
	{ "__print_hex_str", parse_hex, true },
	{ "__print_array", parse_array, 0 },
	{ "__print_dynamic_array", parse_dynamic_array, 0 },
	{ "__print_hex_dump", parse_hex_dump, 0 },
	{ "__print_ns_to_secs", parse_ns, OP_DIV },
	{ "__print_ns_without_secs", parse_ns, OP_MOD },
	{ "__builtin_expect", parse_expect, 0 },
	{ "__builtin_bswap16", parse_bswap, 2 },
	{ "__builtin_bswap32", parse_bswap, 4 },
	{ "__builtin_bswap64", parse_bswap, 8 },
	{ "__bswap_16", parse_bswap, 2 },
	{ "__bswap_32", parse_bswap, 4 },
	{ "__bswap_64", parse_bswap, 8 },
	{ "ntohs", parse_bswap, 2 }, { "htons", parse_bswap, 2 },
	{ "ntohl", parse_bswap, 4 }, { "htonl", parse_bswap, 4 },
	{ "be16_to_cpu", parse_bswap, 2 }, { "be32_to_cpu", parse_bswap, 4 },
	{ "be64_to_cpu", parse_bswap, 8 },
	{ "le16_to_cpu", parse_bswap, 2 | BSWAP_NONE },
	{ "le32_to_cpu", parse_bswap, 4 | BSWAP_NONE },
	{ "le64_to_cpu", parse_bswap, 8 | BSWAP_NONE },
};

uint32_t print_parse_call(struct compiler *c, struct token name)
{
	const struct call *call = NULL;
	uint32_t n;

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		if (strlen(calls[i].name) == name.len &&
		    memcmp(calls[i].name, name.text, name.len) == 0)
			call = &calls[i];
	}
	if (!call) {
		print_fail_unknown(c, name, "unknown function",
				   "call it in TP_fast_assign() and keep the "
				   "result in a field");
		return 0;
	}
	print_expect_punct(c, '(', "( expected");
	n = call->parse(c, call);
	print_expect_punct(c, ')', ") expected");
	return n;
}
