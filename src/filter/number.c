/* SPDX-License-Identifier: MIT */
/* Integers in filters: parse a number, and emit the code that compares a field with
 * it. */
#include <ctype.h>

#include "filter/term.h"

#define NUMBER_MAX	24		/* the kernel's maximum length of a number in a
					 * filter, with the sign and the NUL */

/* ---- parse an integer ---- */

/* Parse the text from @s to @end as one number, in base 10, 8 (0...) or 16 (0x...).
 * Returns false if the text is not a number, or the number is too large. */
static bool text_to_unsigned(const char *s, const char *end, uint64_t *ret_value)
{
	unsigned int base = 10, digit;
	uint64_t value = 0;

	if (end - s > 2 && s[0] == '0' && tolower((unsigned char)s[1]) == 'x') {
		base = 16;
		s += 2;
	} else if (s < end && s[0] == '0') {
		base = 8;
	}
	if (s == end)
		return false;
	for (; s < end; s++) {
		if (isdigit((unsigned char)*s))
			digit = *s - '0';
		else
			digit = tolower((unsigned char)*s) - 'a' + 10;
		if (digit >= base ||
		    __builtin_mul_overflow(value, base, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return false;
	}
	*ret_value = value;
	return true;
}

static bool text_to_signed(const char *s, const char *end, uint64_t *ret_value)
{
	bool is_negative = s < end && *s == '-';
	uint64_t value;

	if (!text_to_unsigned(s + is_negative, end, &value) ||
	    value > (uint64_t)INT64_MAX + is_negative)
		return false;
	*ret_value = is_negative ? -value : value;
	return true;
}

/* Skip a number.  Letters count as a part of the number; the caller checks later whether they
 * are valid digits. */
static int skip_number_token(struct parser *p)
{
	size_t start = p->at;

	if (p->text[p->at] == '-')
		p->at++;
	while (isalnum((unsigned char)p->text[p->at]))
		p->at++;
	if (p->at - start >= NUMBER_MAX)
		return term_fail(p, FILTER_ERR_OPERAND_TOO_LONG, p->at);
	return 0;
}

int term_parse_unsigned(struct parser *p, enum filter_error_code wrong,
			uint64_t *ret_value)
{
	const char *start = p->text + p->at;
	int r = skip_number_token(p);

	if (!r && !text_to_unsigned(start, p->text + p->at, ret_value))
		r = term_fail(p, wrong, p->at);
	return r;
}

/* ---- emit the code that compares a field with an integer ---- */

struct part term_emit_never(struct parser *p)
{
	return code_emit(&p->code,
			 (struct filter_insn){ .op = FILTER_OP_NEVER }, 0);
}

struct part term_emit(struct parser *p, const struct term_field *field,
		      struct filter_insn insn)
{
	insn.offset = (uint16_t)field->offset;
	return code_emit(&p->code, insn, field->size);
}

uint8_t term_load(const struct term_field *field)
{
	return field->use == USE_CPU ? FILTER_LOAD_CPU : __builtin_ctz(field->size);
}

struct part term_emit_range(struct parser *p, const struct term_field *field,
			    uint64_t low, uint64_t high)
{
	return term_emit(p, field, (struct filter_insn){
		.op = FILTER_OP_RANGE, .load = term_load(field),
		.low = low, .span = high - low,
	});
}

/* Emit the predicate "the field is less than @value".  @least: the smallest value of
 * the field's type. */
static struct part emit_less_than(struct parser *p, const struct term_field *field,
				  uint64_t least, uint64_t value)
{
	return value == least ? term_emit_never(p) :
	       term_emit_range(p, field, least, value - 1);
}

static struct part emit_bitwise_and(struct parser *p, const struct term_field *field,
				    uint64_t value)
{
	return term_emit(p, field, (struct filter_insn){
		.op = FILTER_OP_AND, .load = term_load(field), .value = value,
	});
}

struct part term_emit_compare(struct parser *p, const struct term_field *field,
			      enum term_op op, uint64_t value)
{
	uint64_t least = field->is_signed ? 1ull << 63 : 0;

	/* An array or a struct is not a number, so every comparison with it is false, `!=`
	 * included. */
	if (!field->bits)
		return term_emit_never(p);
	value <<= filter_load_shift(term_load(field));
	switch (op) {
	case OP_NE:
		return part_not(term_emit_range(p, field, value, value));
	case OP_LT:
		return emit_less_than(p, field, least, value);
	case OP_GE:
		return part_not(emit_less_than(p, field, least, value));
	case OP_LE:
		return term_emit_range(p, field, least, value);
	case OP_GT:
		return part_not(term_emit_range(p, field, least, value));
	case OP_AND:
		return emit_bitwise_and(p, field, value);
	default:
		return term_emit_range(p, field, value, value);
	}
}

int term_parse_number(struct parser *p, const struct term *t,
		      struct part *ret_part)
{
	const char *start = p->text + p->at;
	size_t start_at = p->at;
	uint64_t value;
	bool is_right;
	int r;

	if (term_is_string(t))
		return term_fail(p, FILTER_ERR_EXPECT_STRING, p->at);
	if (t->op == OP_GLOB)
		return term_fail(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
	r = skip_number_token(p);
	if (r)
		return r;
	if (t->field.is_signed)
		is_right = text_to_signed(start, p->text + p->at, &value);
	else
		is_right = text_to_unsigned(start, p->text + p->at, &value);
	if (!is_right)
		return term_fail(p, FILTER_ERR_ILLEGAL_INTVAL, start_at);
	*ret_part = term_emit_compare(p, &t->field, t->op, value);
	return 0;
}
