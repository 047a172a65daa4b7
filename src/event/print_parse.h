/* SPDX-License-Identifier: MIT */
/* The compiler's side of the printer: tokens, nodes, grammar. */
#ifndef EVENT_PRINT_PARSE_H
#define EVENT_PRINT_PARSE_H

#include "event/print_impl.h"

enum token_kind {
	TOK_END,
	TOK_NAME,
	TOK_NUMBER,		/* value, type; character literals too */
	TOK_STRING,		/* text with its quotes, escapes as they are */
	TOK_PUNCT,		/* punct */
};

/* Punctuation of two characters is first | second << 8. */
#define PUNCT2(a, b) ((a) | (b) << 8)

struct token {
	enum token_kind kind;
	const char *text;
	size_t len;
	int punct;
	uint64_t value;
	struct value_type type;
};

struct local {
	const char *name;
	size_t len;
	uint32_t slot;
	struct value_type type;
};

struct compiler {
	const struct event_format *fmt;
	const struct print_names *names;
	struct print_program *program;
	const char *text, *pos;	/* pos: behind the token */
	struct token tok;
	unsigned int depth;
	size_t nr_rows;		/* of tables, so far */
	struct local locals[PRINT_MAX_LOCALS];
	unsigned int nr_locals;	/* in scope */
	int error;		/* sticky; tok is TOK_END from then on */
	struct print_error where;
};

extern const struct value_type print_type_int, print_type_uint, print_type_long,
	print_type_ulong, print_type_double, print_type_str;

/* Where the text is being read, to come back to. */
struct mark {
	const char *pos;
	struct token tok;
};

static inline struct mark print_mark(const struct compiler *c)
{
	return (struct mark){ .pos = c->pos, .tok = c->tok };
}

/* After an error there is no way back. */
static inline void print_back(struct compiler *c, struct mark mark)
{
	if (!c->error) {
		c->pos = mark.pos;
		c->tok = mark.tok;
	}
}

/* print_lex.c */
void print_next(struct compiler *c);
void print_fail(struct compiler *c, int error, const char *message);
/* The same for what C understands and we cannot know; stands at @at. */
void print_fail_unknown(struct compiler *c, struct token at, const char *message,
			const char *remedy);
bool print_is(const struct compiler *c, int punct);
bool print_accept(struct compiler *c, int punct);
void print_expect(struct compiler *c, int punct, const char *message);
bool print_is_name(const struct compiler *c, const char *name);
/* Add the decoded text of a string token to the pool. */
void print_string_decode(struct compiler *c, const char *text, size_t len);

/* print_node.c: each returns a node, 0 after an error */
uint32_t print_node(struct compiler *c, struct node node);
uint32_t print_node_const(struct compiler *c, uint64_t value,
			  struct value_type type);
uint32_t print_node_unary(struct compiler *c, enum node_op op, uint32_t a);
uint32_t print_node_binary(struct compiler *c, enum node_op op, uint32_t a,
			   uint32_t b);
uint32_t print_node_cond(struct compiler *c, uint32_t a, uint32_t b, uint32_t x);
uint32_t print_node_cast(struct compiler *c, uint32_t a, struct value_type type);
uint32_t print_node_load(struct compiler *c, uint32_t ptr);
uint32_t print_node_addr(struct compiler *c, uint32_t a);
uint32_t print_node_field(struct compiler *c, const struct event_field *field);
uint32_t print_node_dyn(struct compiler *c, const struct event_field *field,
			enum node_op op);
/* Bytes that the node's value takes, as sizeof says. */
uint64_t print_node_sizeof(const struct compiler *c, uint32_t a);
static inline const struct node *print_at(const struct compiler *c, uint32_t n)
{
	return &c->program->nodes[n];
}

/* print_rec.c */
/* The record as a whole: for a member, or for a cast and an offset. */
uint32_t print_parse_rec(struct compiler *c);
bool print_is_rec(const struct compiler *c, uint32_t n);
/* What follows REC-> */
uint32_t print_parse_member(struct compiler *c);

/* print_expr.c */
uint32_t print_parse_expr(struct compiler *c);		/* with commas */
uint32_t print_parse_arg(struct compiler *c);		/* without */
uint32_t print_parse_unary(struct compiler *c);
uint32_t print_parse_string(struct compiler *c);
const struct local *print_local_find(const struct compiler *c);

/* print_type.c */
/* After '(': does a type follow, so that it is a cast, or of sizeof? */
bool print_at_type(struct compiler *c, bool is_sizeof);
/* A type up to the ')' that ends it; false if nothing tells what it is. */
bool print_parse_type(struct compiler *c, struct value_type *ret_type);
/* sizeof(type), from the type on up to the ')'. */
uint32_t print_parse_sizeof_type(struct compiler *c);
/* ({ int x = 1; x + 1; }), from behind the '{'. */
uint32_t print_parse_block(struct compiler *c);

/* print_call.c */
/* A function of that name, from its '(' on; 0 and an error if unknown. */
uint32_t print_parse_call(struct compiler *c, struct token name);

/* Grow an array for one more; false (and the error) if it cannot be. */
bool print_room(struct compiler *c, void **array, size_t nr, size_t *cap,
		size_t elem, size_t max);

#endif
