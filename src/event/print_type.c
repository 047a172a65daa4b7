/* SPDX-License-Identifier: MIT */
/* Parse types in a print fmt: in casts, in sizeof, and in declarations of the variables of ({
 * ... }). */
#include "event/print_parse.h"

#include <errno.h>
#include <string.h>

static bool is_typeof(const struct compiler *c)
{
	return print_is_name(c, "typeof") || print_is_name(c, "__typeof__") ||
	       print_is_name(c, "__typeof");
}

/* Find a field of the record whose type is written exactly as @text.  The size of this
 * field is the size of the type, even if nothing else is known about the type.  Returns
 * NULL if there is no such field. */
static const struct event_field *find_field_type(const struct compiler *c,
						 const char *text, size_t len)
{
	while (len && text[len - 1] == ' ')
		len--;
	for (size_t i = 0; i < c->fmt->nr_fields; i++) {
		const struct event_field *field = &c->fmt->fields[i];

		if (field->kind == FIELD_PLAIN &&
		    strncmp(field->type, text, len) == 0 && !field->type[len])
			return field;
	}
	return NULL;
}

static bool is_type_word(const struct compiler *c)
{
	return c->tok.kind == TOK_NAME && !print_local_find(c) &&
	       (type_is_word(c->tok.text, c->tok.len) || is_typeof(c) ||
		find_field_type(c, c->tok.text, c->tok.len));
}

/* Returns true if the current token can begin the operand of a cast to an unknown type. */
static bool starts_operand(const struct compiler *c, bool is_ptr)
{
	switch (c->tok.kind) {
	case TOK_NAME:
	case TOK_NUMBER:
	case TOK_STRING:
		return true;
	case TOK_PUNCT:
		if (c->tok.punct == '(' || c->tok.punct == '~' ||
		    c->tok.punct == '!')
			return true;
		/* Example: (x) - 1 is a subtraction, (x *) - 1 is a cast. */
		return is_ptr && strchr("&*-+", c->tok.punct & 0xff) &&
		       c->tok.punct < 0x100;
	case TOK_END:
		break;
	}
	return false;
}

/* Returns true if (NAME) or (NAME *) can only be a cast, although the type NAME is unknown.
 * @is_sizeof: true if `sizeof` precedes the parenthesis, so that no operand follows. */
static bool is_unknown_type(struct compiler *c, bool is_sizeof)
{
	struct mark mark = print_mark(c);
	bool is_ptr = false, is_type;

	if (c->tok.kind != TOK_NAME || print_is_name(c, "REC") ||
	    print_local_find(c))
		return false;
	print_next_token(c);
	while (print_accept_punct(c, '*'))
		is_ptr = true;
	is_type = print_accept_punct(c, ')') && (is_sizeof || starts_operand(c, is_ptr));
	print_rewind(c, mark);
	return is_type;
}

bool print_at_type(struct compiler *c, bool is_sizeof)
{
	return is_type_word(c) || is_unknown_type(c, is_sizeof);
}

static bool find_type(const struct compiler *c, const char *text, size_t len,
		      struct value_type *ret_type)
{
	const struct event_field *field;

	if (type_lookup(text, len, ret_type))
		return true;
	field = find_field_type(c, text, len);
	if (field && field->size && field->size <= 8 &&
	    !(field->size & (field->size - 1))) {
		*ret_type = (struct value_type){
			.size = field->size, .is_signed = field->is_signed };
		return true;
	}
	*ret_type = (struct value_type){ .is_ptr = true };
	return memchr(text, '*', len) != NULL;
}

/* Parse typeof(x).  The current token must be `typeof`.  Afterwards the current token is the
 * token after the ')'. */
static bool parse_typeof(struct compiler *c, struct value_type *ret_type)
{
	print_next_token(c);
	print_expect_punct(c, '(', "( expected");
	if (print_at_type(c, false))
		return print_parse_type(c, ret_type);
	*ret_type = print_node_at(c, print_parse_expr(c))->type;
	print_expect_punct(c, ')', ") expected");
	return true;
}

/* Skip the rest of a type that is a pointer to a function, such as void (*)(int).  The
 * current token is the first '('. */
static void skip_function(struct compiler *c)
{
	unsigned int open = 0;

	do {
		open += print_is_punct(c, '(');
		open -= print_is_punct(c, ')');
		print_next_token(c);
	} while (c->tok.kind != TOK_END && (open || print_is_punct(c, '(')));
}

bool print_parse_type(struct compiler *c, struct value_type *ret_type)
{
	const char *start = c->tok.text;
	bool is_known;

	if (is_typeof(c)) {
		is_known = parse_typeof(c, ret_type);
		while (print_accept_punct(c, '*'))
			*ret_type = (struct value_type){ .is_ptr = true };
		print_expect_punct(c, ')', ") expected");
		return is_known;
	}
	while (c->tok.kind == TOK_NAME || print_is_punct(c, '*'))
		print_next_token(c);
	if (print_is_punct(c, '(')) {
		skip_function(c);
		*ret_type = (struct value_type){ .is_ptr = true };
		is_known = true;
	} else {
		is_known = !c->error && find_type(c, start, c->tok.text - start,
						  ret_type);
	}
	print_expect_punct(c, ')', ") expected");
	return is_known;
}

uint32_t print_parse_sizeof_type(struct compiler *c)
{
	struct token start = c->tok;
	const struct event_field *field;
	struct value_type type;
	uint64_t size;

	if (print_parse_type(c, &type)) {
		size = type.is_ptr ? 8 : type.size;
		return print_node_const(c, size, print_type_ulong);
	}
	field = find_field_type(c, start.text, strcspn(start.text, ")"));
	if (field && !c->error)
		return print_node_const(c, field->size, print_type_ulong);
	print_fail_unknown(c, start, "a type of unknown size",
			   "TRACE_DEFINE_SIZEOF() tells it");
	return 0;
}

/* Returns true if a declaration begins at the current token: a type, then a name. */
static bool is_at_declaration(struct compiler *c)
{
	struct mark mark = print_mark(c);
	bool is_declaration;

	if (is_type_word(c) || print_is_name(c, "__auto_type"))
		return true;
	if (c->tok.kind != TOK_NAME)
		return false;
	print_next_token(c);
	while (print_accept_punct(c, '*'))
		;
	is_declaration = c->tok.kind == TOK_NAME;
	print_rewind(c, mark);
	return is_declaration;
}

/* The declaration of a variable in a block ({ ... }). */
struct declaration {
	struct token name;
	struct value_type type;
	bool is_known;		/* true: @type is known; false: the variable gets the
				 * type of its value */
};

static void parse_declarator(struct compiler *c, struct declaration *decl)
{
	const char *start = c->tok.text;

	if (is_typeof(c)) {
		decl->is_known = parse_typeof(c, &decl->type);
		if (print_is_punct(c, '*'))
			decl->is_known = false;
		while (print_accept_punct(c, '*'))
			;
		decl->name = c->tok;
		print_next_token(c);
		return;
	}
	while (c->tok.kind == TOK_NAME || print_is_punct(c, '*')) {
		decl->name = c->tok;
		print_next_token(c);
	}
	if (c->error || decl->name.text == start)
		return;
	decl->is_known = find_type(c, start, decl->name.text - start, &decl->type);
}

/* A variable that a block declares: @slot is its number, @value the node of its value. */
struct let {
	uint32_t slot, value;
};

static void parse_declaration(struct compiler *c, struct let *ret_let)
{
	struct declaration decl = { .name = c->tok };
	struct local *local;

	parse_declarator(c, &decl);
	print_expect_punct(c, '=', "a variable without a value");
	ret_let->value = print_parse_arg(c);
	if (decl.is_known)
		ret_let->value = print_node_cast(c, ret_let->value, decl.type);
	print_expect_punct(c, ';', "; expected");
	if (decl.name.kind != TOK_NAME ||
	    c->program->nr_locals == PRINT_MAX_LOCALS) {
		print_fail(c, -E2BIG, "too many variables");
		return;
	}
	ret_let->slot = c->program->nr_locals++;
	local = &c->locals[c->nr_locals++];
	*local = (struct local){
		.name = decl.name.text, .len = decl.name.len,
		.slot = ret_let->slot,
		.type = print_node_at(c, ret_let->value)->type };
}

uint32_t print_parse_block(struct compiler *c)
{
	unsigned int outer = c->nr_locals, nr_lets = 0;
	struct let lets[PRINT_MAX_LOCALS];
	uint32_t n = 0;

	while (!c->error && !print_is_punct(c, '}')) {
		if (nr_lets == PRINT_MAX_LOCALS) {
			print_fail(c, -E2BIG, "too many variables");
		} else if (is_at_declaration(c)) {
			parse_declaration(c, &lets[nr_lets]);
			nr_lets += !c->error;
		} else {
			n = print_parse_expr(c);
			print_expect_punct(c, ';', "; expected");
		}
	}
	print_expect_punct(c, '}', "} expected");
	c->nr_locals = outer;
	while (!c->error && nr_lets-- > 0) {
		n = print_node(c, (struct node){
			.op = OP_LET, .type = print_node_at(c, n)->type,
			/* cppcheck-suppress uninitvar ; parse_declaration() filled lets[] */
			.a = lets[nr_lets].value, .b = n,
			.imm = lets[nr_lets].slot });
	}
	return c->error ? 0 : n;
}
