/* SPDX-License-Identifier: MIT */
/*
 * Declarations for the files that parse one predicate of a filter, FIELD OP VALUE.
 */
#ifndef FILTER_TERM_H
#define FILTER_TERM_H

#include <errno.h>

#include "filter/compile.h"

/* How a filter uses a field. */
enum field_use {
	USE_NUMBER,
	USE_CPU,
	USE_FLOAT,			/* float or double */
	USE_MASK_LOC, USE_MASK_REL,	/* a mask in a comparison with CPUS{}, a number in
					 * every other comparison */
	USE_ARRAY, USE_LOC, USE_REL, USE_PTR, USE_COMM,	/* the five kinds of strings that
							 * a filter can compare */
};

/* A field of the record, or one of the names CPU and COMM, and how a filter uses it. */
struct term_field {
	enum field_use use;
	uint32_t offset, size;		/* offset and size in bytes; both are 0 if the
					 * field is not in the record */
	uint32_t bits;			/* size of the field's number in bits: 8, 16, 32 or
					 * 64; 0 if the field is not a number */
	bool is_signed;
};

/* Operators, in the order in which parse_operator() tries them. */
enum term_op {
	OP_GLOB, OP_NE, OP_EQ, OP_LE, OP_LT, OP_GE, OP_GT, OP_AND, NR_OPS,
};

/* The predicate of a filter that is being parsed. */
struct term {
	struct term_field field;
	enum term_op op;
	bool is_function;		/* true: the field has the suffix .function */
};

/*
 * Find a field by name.  Search the fields of the event, then the common fields, then
 * CPU and COMM. Returns false if there is no such field.
 */
bool term_find_field(const struct event_format *fmt, const char *name,
		     size_t len, struct term_field *ret_field);
/* Offer the names of all fields that term_find_field() finds to @near, which keeps the most
 * similar name. */
struct nearest;
void term_offer_fields(const struct event_format *fmt, struct nearest *near);
/* Returns the length of the identifier at @text; 0 if no identifier begins there. */
size_t term_word_len(const char *text);

static inline bool term_is_string(const struct term *t)
{
	return t->field.use >= USE_ARRAY;
}

/* Set the error @code at column @at + 1, because the kernel counts columns from 1 for
 * these errors.  Returns -EINVAL. */
static inline int term_fail(struct parser *p, enum filter_error_code code,
			    size_t at)
{
	return parser_fail(p, code, at + 1, -EINVAL);
}

/* If @word stands at p->at, skip it and return true. */
static inline bool term_accept(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(p->text + p->at, word, len) != 0)
		return false;
	p->at += len;
	return true;
}

/*
 * Parse an unsigned number at p->at.
 * @wrong: the error to set if the text is not a valid number.
 * Returns 0 or -EINVAL.
 */
int term_parse_unsigned(struct parser *p, enum filter_error_code wrong,
			uint64_t *ret_value);

/*
 * Parse an integer and emit the code of the predicate.
 * Returns 0 or -EINVAL, with the error in p->error.
 */
int term_parse_number(struct parser *p, const struct term *t,
		      struct part *ret_part);
/* Parse the name of a number, such as DISK_READ or "read", and emit the code of the
 * predicate.  Returns -ENOENT, with p->at unchanged, if there is no such name. */
int term_parse_name(struct parser *p, const struct term *t, struct part *ret_part);
/*
 * Parse a number for a field of type float or double, and emit the code of the predicate.
 * Returns 0 or -EINVAL, with the error in p->error.
 */
int term_parse_float(struct parser *p, const struct term *t,
		     struct part *ret_part);
/*
 * Parse CPUS{LIST} and emit the code of the predicate.
 * Returns 0 or -EINVAL, with the error in p->error.
 */
int term_parse_cpus(struct parser *p, const struct term *t,
		    struct part *ret_part);

/* Emit a predicate that is always false. */
struct part term_emit_never(struct parser *p);
/* Emit @insn, and let it read the record at the offset of @field. */
struct part term_emit(struct parser *p, const struct term_field *field,
		      struct filter_insn insn);
/* Returns how an instruction loads the number of @field (enum filter_load).  The field must
 * be a number. */
uint8_t term_load(const struct term_field *field);
/* Emit the predicate "@low <= number of the field <= @high".  @low must not be above @high.
 * The caller has shifted both limits left by as many bits as a load shifts the number, so
 * that its highest bit becomes bit 63. */
struct part term_emit_range(struct parser *p, const struct term_field *field,
			    uint64_t low, uint64_t high);
/* Emit the predicate "FIELD @op @value" for a number. */
struct part term_emit_compare(struct parser *p, const struct term_field *field,
			      enum term_op op, uint64_t value);

#endif
