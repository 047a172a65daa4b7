/* SPDX-License-Identifier: MIT */
/*
 * One question of a filter, FIELD OP VALUE: what the files that read its parts
 * share.
 */
#ifndef FILTER_TERM_H
#define FILTER_TERM_H

#include <errno.h>

#include "filter/compile.h"

enum field_use {
	USE_NUMBER,
	USE_CPU,
	USE_FLOAT,			/* float or double */
	USE_MASK_LOC, USE_MASK_REL,	/* a mask for CPUS{}, else a number */
	USE_ARRAY, USE_LOC, USE_REL, USE_PTR, USE_COMM,	/* strings */
};

struct term_field {
	enum field_use use;
	uint32_t offset, size;		/* in the record; 0, 0: not there */
	uint32_t bits;			/* of the number; 0: it is none */
	bool is_signed;
};

enum term_op {
	OP_GLOB, OP_NE, OP_EQ, OP_LE, OP_LT, OP_GE, OP_GT, OP_AND, NR_OPS,
};

struct term {
	struct term_field field;
	enum term_op op;
	bool is_function;
};

/* By name: the event's own, CPU and COMM, common ones. */
bool term_find_field(const struct event_format *fmt, const char *name,
		     size_t len, struct term_field *ret_field);
/* Offer all of their names. */
struct nearest;
void term_offer_fields(const struct event_format *fmt, struct nearest *near);
/* How much of @text is an identifier. */
size_t term_word_len(const char *text);

static inline bool term_is_string(const struct term *t)
{
	return t->field.use >= USE_ARRAY;
}

/* The kernel counts from 1 here. */
static inline int term_fail(struct parser *p, enum filter_error_code code,
			    size_t at)
{
	return parser_fail(p, code, at + 1, -EINVAL);
}

/* Go over that word if it stands here. */
static inline bool term_take(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(p->text + p->at, word, len) != 0)
		return false;
	p->at += len;
	return true;
}

/* An unsigned number at p->at; where it is wrong is told as `wrong`. */
int term_take_unsigned(struct parser *p, enum filter_error_code wrong,
		       uint64_t *ret_value);

/* VALUE, of that kind, and the code for the whole question. */
int term_parse_number(struct parser *p, const struct term *t,
		      struct part *ret_part);
/* A name for a number, bare or in quotes; -ENOENT, and p->at as before, if it is none. */
int term_parse_name(struct parser *p, const struct term *t, struct part *ret_part);
int term_parse_float(struct parser *p, const struct term *t,
		     struct part *ret_part);
int term_parse_cpus(struct parser *p, const struct term *t,
		    struct part *ret_part);

/* A question that is always answered with no. */
struct part term_emit_never(struct parser *p);
/* The field's offset is added to the instruction. */
struct part term_emit(struct parser *p, const struct term_field *field,
		      struct filter_insn insn);
/* How the field's number is loaded; it has one. */
uint8_t term_load(const struct term_field *field);
/* Is its number from @low to @high?  Both are shifted up; there is one between. */
struct part term_emit_range(struct parser *p, const struct term_field *field,
			    uint64_t low, uint64_t high);
struct part term_emit_compare(struct parser *p, const struct term_field *field,
			      enum term_op op, uint64_t value);

#endif
