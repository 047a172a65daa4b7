/* SPDX-License-Identifier: MIT */
/*
 * Fields of type float and double.  The traced program compares them as integers, without
 * floating-point instructions.  The bits of positive values, read as integers, are in the
 * order of the values.  The bits of negative values are in the reverse order.  Infinity comes
 * after all finite values and before the NaNs.  So a comparison is one or two ranges of
 * bits.  Example, x > -2, as magnitudes (bits without the sign):
 *
 *	sign 0	0 .. inf
 *	sign 1	0 .. the number just below 2
 *
 * -0 equals 0.  A NaN is in no range.  So, as in C, a NaN is not equal to, less than or
 * greater than any number, and `!=` is true for it.
 */
#include <ctype.h>
#include <stdlib.h>

#include "filter/term.h"

#define FLOAT_MAX	64		/* maximum length of a floating-point number in
					 * a filter's text, with the NUL */

/*
 * A range of floating-point numbers by their magnitudes: the bits of a number without its
 * sign.
 */
struct magnitudes {
	uint64_t low, high;
	bool is_empty;
};

static const struct magnitudes none = { .is_empty = true };

/* ---- parse a floating-point number ---- */

/* Returns true if the character at index @at of @s may belong to a floating-point number. */
static bool is_float_char(const char *s, size_t at)
{
	if (isalnum((unsigned char)s[at]) || s[at] == '.')
		return true;
	/* accept a sign at the start of the number, or after the letter of its exponent */
	return (s[at] == '-' || s[at] == '+') &&
	       (!at || strchr("eEpP", s[at - 1]));
}

/* Parse the number in @text.  Returns its bits, as a float or as a double. */
static uint64_t float_bits(const char *text, bool is_float, char **ret_end)
{
	union { double d; uint64_t bits; } wide;
	union { float f; uint32_t bits; } narrow;

	if (is_float) {
		narrow.f = strtof(text, ret_end);
		return narrow.bits;
	}
	wide.d = strtod(text, ret_end);
	return wide.bits;
}

/* Parse a finite number and round it to the field's type.  @inf: the bits of infinity in
 * this type. */
static int parse_float_bits(struct parser *p, const struct term_field *field,
			    uint64_t inf, uint64_t *ret_bits)
{
	const char *start = p->text + p->at;
	size_t start_at = p->at, len = 0;
	char text[FLOAT_MAX], *end;

	while (start[len] && is_float_char(start, len))
		len++;
	p->at += len;
	if (len >= sizeof(text))
		return term_fail(p, FILTER_ERR_OPERAND_TOO_LONG, p->at);
	memcpy(text, start, len);
	text[len] = '\0';
	if (!isdigit((unsigned char)text[text[0] == '-']))
		return term_fail(p, FILTER_ERR_ILLEGAL_FLOAT, start_at);
	*ret_bits = float_bits(text, field->bits == 32, &end);
	if (*end || (*ret_bits & inf) == inf)
		return term_fail(p, FILTER_ERR_ILLEGAL_FLOAT, start_at);
	return 0;
}

/* ---- emit the code that compares a field of type float or double ---- */

static struct magnitudes magnitude_range(uint64_t low, uint64_t high)
{
	return (struct magnitudes){ low, high, low > high };
}

static struct part emit_magnitudes(struct parser *p, const struct term_field *field,
				   struct magnitudes s, uint64_t sign)
{
	unsigned int shift = filter_load_shift(term_load(field));

	return term_emit_range(p, field, (s.low | sign) << shift,
			       (s.high | sign) << shift);
}

static struct part emit_both_signs(struct parser *p, const struct term_field *field,
				   struct magnitudes positive, struct magnitudes negative)
{
	uint64_t sign = 1ull << (field->bits - 1);
	struct part first, second;

	if (positive.is_empty && negative.is_empty)
		return term_emit_never(p);
	if (negative.is_empty)
		return emit_magnitudes(p, field, positive, 0);
	if (positive.is_empty)
		return emit_magnitudes(p, field, negative, sign);
	first = emit_magnitudes(p, field, positive, 0);
	code_patch(&p->code, first.no, code_nr_insns(&p->code));
	second = emit_magnitudes(p, field, negative, sign);
	second.yes = code_join(&p->code, first.yes, second.yes);
	return second;
}

/*
 * Find the numbers x for which "x @op value" is true, as two ranges of magnitudes (bits
 * without the sign).  @m: magnitude of the value.  *@ret_own: range of the numbers x that
 * have the sign of the value.  *@ret_other: range of the numbers x that have the other sign.
 * @op: the operator; for a negative value the caller must pass mirrored_op() of the operator.
 */
static void find_magnitudes(enum term_op op, uint64_t m, uint64_t inf, struct magnitudes *ret_own,
			    struct magnitudes *ret_other)
{
	bool is_zero = !m;

	*ret_other = none;
	switch (op) {
	case OP_LT:
		*ret_own = m ? magnitude_range(0, m - 1) : none;
		*ret_other = magnitude_range(is_zero, inf);
		break;
	case OP_LE:
		*ret_own = magnitude_range(0, m);
		*ret_other = magnitude_range(0, inf);
		break;
	case OP_GT:
		*ret_own = magnitude_range(m + 1, inf);
		break;
	case OP_GE:
		*ret_own = magnitude_range(m, inf);
		if (is_zero)
			*ret_other = magnitude_range(0, 0);
		break;
	default:
		*ret_own = magnitude_range(m, m);
		if (is_zero)
			*ret_other = magnitude_range(0, 0);
		break;
	}
}

/* Returns the operator to use if both operands are negated: x < y is equivalent to -x > -y. */
static enum term_op mirrored_op(enum term_op op)
{
	switch (op) {
	case OP_LT: return OP_GT;
	case OP_LE: return OP_GE;
	case OP_GT: return OP_LT;
	case OP_GE: return OP_LE;
	default: return op;
	}
}

int term_parse_float(struct parser *p, const struct term *t, struct part *ret_part)
{
	uint64_t sign = 1ull << (t->field.bits - 1), bits;
	uint64_t inf = t->field.bits == 32 ? 0x7f800000 : 0x7ffull << 52;
	struct magnitudes own, other;
	bool is_negative;
	int r;

	if (t->op == OP_GLOB || t->op == OP_AND)
		return term_fail(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
	r = parse_float_bits(p, &t->field, inf, &bits);
	if (r)
		return r;
	is_negative = (bits & sign) && bits != sign;
	find_magnitudes(is_negative ? mirrored_op(t->op) : t->op, bits & ~sign, inf, &own,
			&other);
	*ret_part = is_negative ? emit_both_signs(p, &t->field, other, own) :
				  emit_both_signs(p, &t->field, own, other);
	if (t->op == OP_NE)
		*ret_part = part_not(*ret_part);
	return 0;
}
