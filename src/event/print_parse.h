/* SPDX-License-Identifier: MIT */
/* Declarations for the files that compile a print fmt: tokens, nodes, grammar. */
#ifndef EVENT_PRINT_PARSE_H
#define EVENT_PRINT_PARSE_H

#include "event/print_impl.h"

/* Kinds of tokens.  The comment of a kind says which members of struct token are valid. */
enum token_kind {
	TOK_END,
	TOK_NAME,
	TOK_NUMBER,		/* a number or a character literal: value and type are valid */
	TOK_STRING,		/* a string literal: text and len are valid; they include
				 * the quotes, and escapes are not decoded */
	TOK_PUNCT,		/* punctuation: punct is valid; it is the character or a
				 * PUNCT2() */
};

/* Punctuation of two characters, as one number: first character | second character << 8. */
#define PUNCT2(a, b) ((a) | (b) << 8)

struct token {
	enum token_kind kind;
	const char *text;
	size_t len;
	int punct;
	uint64_t value;
	struct value_type type;
};

/* A variable that a block ({ ... }) of the print fmt declares. */
struct local {
	const char *name;
	size_t len;
	uint32_t slot;
	struct value_type type;
};

/* The state of print_compile_names(), the compiler of print fmts. */
struct compiler {
	const struct event_format *fmt;
	const struct print_names *names;
	struct print_program *program;
	const char *text, *pos;	/* text: the whole print fmt; pos: the rest of it after the
				 * current token */
	struct token tok;
	unsigned int depth;	/* nesting depth of the current expression */
	size_t nr_rows;		/* number of rows { value, "name" } parsed so far, in
				 * all calls of __print_flags() and __print_symbolic();
				 * an empty last row counts, too */
	struct local locals[PRINT_MAX_LOCALS];
	unsigned int nr_locals;	/* number of local variables in scope */
	int error;		/* -errno of the first error, or 0; after an error tok
				 * is always TOK_END */
	struct print_error where;
};

/* C types that the compiler of a print fmt uses often. */
extern const struct value_type print_type_int, print_type_uint, print_type_long,
	print_type_ulong, print_type_double, print_type_str;

/* A position in the print fmt, to which the parser can return later. */
struct mark {
	const char *pos;
	struct token tok;
};

/* Returns the parser's current position in the print fmt. */
static inline struct mark print_mark(const struct compiler *c)
{
	return (struct mark){ .pos = c->pos, .tok = c->tok };
}

/* Return to the position @mark of the print fmt.  Does nothing after an error. */
static inline void print_rewind(struct compiler *c, struct mark mark)
{
	if (!c->error) {
		c->pos = mark.pos;
		c->tok = mark.tok;
	}
}

/* ---- print_lex.c: read tokens, and report errors ---- */
/* Read the next token into c->tok. */
void print_next_token(struct compiler *c);
/* Report an error at the current token.  Has no effect after an earlier error. */
void print_fail(struct compiler *c, int error, const char *message);
/* Report the error -EINVAL at the token @at.  Used for a text that is correct C, but whose
 * value the compiler of the print fmt cannot know.  @remedy: what to change in the trace
 * header. */
void print_fail_unknown(struct compiler *c, struct token at, const char *message,
			const char *remedy);
/* Returns true if the current token is @punct. */
bool print_is_punct(const struct compiler *c, int punct);
/* If the current token is @punct, read the next token and return true. */
bool print_accept_punct(struct compiler *c, int punct);
/* If the current token is @punct, read the next token.  Otherwise report the error @message. */
void print_expect_punct(struct compiler *c, int punct, const char *message);
/* Returns true if the current token is the identifier @name. */
bool print_is_name(const struct compiler *c, const char *name);
/* Decode the escapes of the string literal @text, and append the result to
 * print_program.pool. */
void print_string_decode(struct compiler *c, const char *text, size_t len);

/* ---- print_node.c: each function returns the index of a node, or 0 after an error ---- */
/* Add @node to the nodes, and compute its height. */
uint32_t print_node(struct compiler *c, struct node node);
/* Add a constant. */
uint32_t print_node_const(struct compiler *c, uint64_t value,
			  struct value_type type);
/* Add a node for an operator with one operand.  If @a is a constant, the result is a
 * constant, too. */
uint32_t print_node_unary(struct compiler *c, enum node_op op, uint32_t a);
/* Add a node for an operator with two operands, which are converted as in C.  If both
 * operands are constants, the result is a constant, too. */
uint32_t print_node_binary(struct compiler *c, enum node_op op, uint32_t a,
			   uint32_t b);
/* Add a node for @a ? @b : @x. */
uint32_t print_node_cond(struct compiler *c, uint32_t a, uint32_t b, uint32_t x);
/* Add a node that casts @a to @type.  Returns @a if it already has this type. */
uint32_t print_node_cast(struct compiler *c, uint32_t a, struct value_type type);
/* Add a node that loads the value to which the pointer @ptr points. */
uint32_t print_node_load(struct compiler *c, uint32_t ptr);
/* Add a node whose value is the address of @a. */
uint32_t print_node_addr(struct compiler *c, uint32_t a);
/* Add a node for REC->field, which is a number, or a pointer to the array, struct or
 * dynamic data. */
uint32_t print_node_field(struct compiler *c, const struct event_field *field);
/* Add a node for a dynamic field.  @op: OP_DYN (a pointer to the field's data) or OP_DYNLEN
 * (the length of the field's data in bytes). */
uint32_t print_node_dyn(struct compiler *c, const struct event_field *field,
			enum node_op op);
/* Returns the size of the value of node @a in bytes, as sizeof does. */
uint64_t print_node_sizeof(const struct compiler *c, uint32_t a);
/* Returns the node with the number @n. */
static inline const struct node *print_node_at(const struct compiler *c, uint32_t n)
{
	return &c->program->nodes[n];
}

/* ---- print_rec.c: parse REC and its members ---- */
/* Parse REC.  The result is a pointer to the whole record.  The print fmt can use it for
 * REC->member, or cast it and add an offset. */
uint32_t print_parse_rec(struct compiler *c);
/* Returns true if node @n is the pointer that print_parse_rec() has made. */
bool print_is_rec(const struct compiler *c, uint32_t n);
/* Parse the name of a member after REC->.  Returns the node of the member. */
uint32_t print_parse_member(struct compiler *c);

/* The functions below parse an expression or a part of one.  A function that returns uint32_t
 * returns the number of a node, or 0 after an error. */
/* ---- print_expr.c: parse expressions ---- */
uint32_t print_parse_expr(struct compiler *c);		/* parse an expression that may
							 * contain the comma operator */
uint32_t print_parse_arg(struct compiler *c);		/* parse an expression that ends
							 * before a comma */
uint32_t print_parse_unary(struct compiler *c);
/* Parse adjacent string literals as one string. */
uint32_t print_parse_string(struct compiler *c);
/* Returns the local variable that the current token names, or NULL. */
const struct local *print_local_find(const struct compiler *c);

/* ---- print_type.c: parse types and blocks ({ ... }) ---- */
/* Returns true if the tokens after a '(' are a type, as in a cast or in sizeof(type).  The
 * current token must be the token after the '('.  @is_sizeof: true if `sizeof` precedes the
 * '('. */
bool print_at_type(struct compiler *c, bool is_sizeof);
/* Parse a type, and skip the ')' after it.  Returns false if the type is not known. */
bool print_parse_type(struct compiler *c, struct value_type *ret_type);
/* Parse sizeof(type), from the type to the ')'. */
uint32_t print_parse_sizeof_type(struct compiler *c);
/* Parse a block, ({ int x = 1; x + 1; }), from the token after the '{'. */
uint32_t print_parse_block(struct compiler *c);

/* ---- print_call.c: parse calls of functions ---- */
/* Parse a call of the function @name.  The current token must be the '(' of the call.
 * Returns 0 and reports an error if there is no such function. */
uint32_t print_parse_call(struct compiler *c, struct token name);

/* Make space for one more element in an array of @nr elements of @elem bytes each.  Returns
 * false and reports an error if the array has @max elements already, or there is no memory. */
bool print_reserve_row(struct compiler *c, void **array, size_t nr, size_t *cap,
		       size_t elem, size_t max);

#endif
