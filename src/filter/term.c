/* SPDX-License-Identifier: MIT */
/* Parse one predicate of a filter, FIELD OP VALUE. */
#include "filter/term.h"

#include <ctype.h>

#define STRING_MAX	256		/* the kernel's limit of the length of a string,
					 * with the NUL */

/* ---- parse FIELD and OP ---- */

size_t term_word_len(const char *text)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_')
		len++;
	return len;
}

static int parse_field_name(struct parser *p, struct term *t)
{
	const char *name = p->text + p->at;
	size_t len = term_word_len(name);

	if (!len)
		return -EPERM;
	p->at += len;
	if (!term_find_field(p->fmt, name, len, &t->field))
		return term_fail(p, FILTER_ERR_FIELD_NOT_FOUND, p->at);
	/* The end of the field must fit into filter_insn.offset, which has 16 bits.  No
	 * record is larger. */
	if ((uint64_t)t->field.offset + t->field.size > UINT16_MAX)
		return -E2BIG;
	/* Accept .ustring and ignore it: all strings are in user space. */
	term_accept(p, ".ustring");
	t->is_function = term_accept(p, ".function");
	return 0;
}

static int parse_operator(struct parser *p, struct term *t)
{
	/* The operators in the order in which they are tried: "<=" comes before "<". */
	static const char *const names[NR_OPS] = {
		[OP_GLOB] = "~", [OP_NE] = "!=", [OP_EQ] = "==",
		[OP_LE] = "<=", [OP_LT] = "<", [OP_GE] = ">=", [OP_GT] = ">",
		[OP_AND] = "&",
	};

	for (t->op = 0; t->op < NR_OPS; t->op++) {
		if (term_accept(p, names[t->op]))
			return 0;
	}
	return term_fail(p, FILTER_ERR_INVALID_OP, p->at);
}

/* ---- parse predicates with .function ---- */

/* Parse VALUE, which is the name of a function or an address in a function.  Returns the
 * addresses of the function. */
static int find_function(struct parser *p, uint64_t *ret_start,
			 uint64_t *ret_end)
{
	const struct filter_env *env = p->env;
	const char *name = p->text + p->at;
	size_t len = 0;
	uint64_t addr;
	int r;

	if (isdigit((unsigned char)*name)) {
		r = term_parse_unsigned(p, FILTER_ERR_INVALID_VALUE, &addr);
		if (r)
			return r;
		r = env->function_at ? env->function_at(env->ctx, addr,
							ret_start, ret_end) : -ENOENT;
	} else {
		while (name[len] && !parser_is_space(name[len]))
			len++;
		p->at += len;
		r = env->function ? env->function(env->ctx, name, len,
						  ret_start, ret_end) : -ENOENT;
	}
	return r ? term_fail(p, FILTER_ERR_NO_FUNCTION, p->at) : 0;
}

/* Parse a predicate with .function, which is true if the field is an address in the
 * function. */
static int parse_function(struct parser *p, const struct term *t,
			  struct part *ret_part)
{
	uint64_t start, end;
	struct part inside;
	int r;

	if (t->field.size != sizeof(uint64_t) || t->field.use == USE_FLOAT)
		return term_fail(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
	if (t->op != OP_EQ && t->op != OP_NE)
		return term_fail(p, FILTER_ERR_INVALID_OP, p->at);
	r = find_function(p, &start, &end);
	if (r)
		return r;
	inside = start < end ? term_emit_range(p, &t->field, start, end - 1) :
		 term_emit_never(p);
	*ret_part = t->op == OP_NE ? part_not(inside) : inside;
	return 0;
}

/* ---- parse predicates on strings ---- */

static struct part emit_string_match(struct parser *p, const struct term *t,
				     const char *s, size_t len)
{
	static const uint8_t ops[] = {
		[USE_ARRAY] = FILTER_OP_STR_ARRAY,
		[USE_LOC] = FILTER_OP_STR_LOC,
		[USE_REL] = FILTER_OP_STR_REL,
		[USE_PTR] = FILTER_OP_STR_PTR,
		[USE_COMM] = FILTER_OP_STR_COMM,
	};
	struct filter_insn insn = { .op = ops[t->field.use] };
	bool is_not = t->op == OP_NE;

	if (t->op == OP_GLOB) {
		insn.flags = FILTER_GLOB;
		is_not = len && *s == '!';
		s += is_not;
		len -= is_not;
	}
	if (is_not)
		insn.flags |= FILTER_NOT;
	insn.size = (uint16_t)t->field.size;
	code_pool(&p->code, &insn, s, len);
	return term_emit(p, &t->field, insn);
}

static int parse_string_operand(struct parser *p, const struct term *t,
				struct part *ret_part)
{
	const char *s = p->text + p->at + 1, *end;

	if (t->op != OP_EQ && t->op != OP_NE && t->op != OP_GLOB)
		return term_fail(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
	if (!term_is_string(t))
		return term_fail(p, FILTER_ERR_EXPECT_DIGIT, p->at);
	end = strchr(s, s[-1]);
	if (!end)
		return term_fail(p, FILTER_ERR_MISSING_QUOTE, strlen(p->text));
	p->at = end - p->text;
	if (end - s >= STRING_MAX)
		return term_fail(p, FILTER_ERR_OPERAND_TOO_LONG, p->at);
	*ret_part = emit_string_match(p, t, s, end - s);
	p->at++;
	return 0;
}

/* ---- parse the whole predicate ---- */

static int parse_operand(struct parser *p, const struct term *t,
			 struct part *ret_part)
{
	char c = p->text[p->at];
	int r;

	if (t->is_function)
		return parse_function(p, t, ret_part);
	r = term_parse_name(p, t, ret_part);
	if (r != -ENOENT)
		return r;
	if (!strncmp(p->text + p->at, "CPUS", 4))
		return term_parse_cpus(p, t, ret_part);
	if (c == '"' || c == '\'')
		return parse_string_operand(p, t, ret_part);
	if ((isdigit((unsigned char)c) || c == '-') && t->field.use == USE_FLOAT)
		return term_parse_float(p, t, ret_part);
	if (isdigit((unsigned char)c) || c == '-')
		return term_parse_number(p, t, ret_part);
	return term_fail(p, FILTER_ERR_INVALID_VALUE, p->at);
}

int parse_term(struct parser *p, struct part *ret_part)
{
	struct term t;
	int r;

	r = parse_field_name(p, &t);
	if (r)
		return r;
	parser_skip_space(p);
	r = parse_operator(p, &t);
	if (r)
		return r;
	parser_skip_space(p);
	return parse_operand(p, &t, ret_part);
}
