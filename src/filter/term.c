/* SPDX-License-Identifier: MIT */
/* Parse one predicate of a filter, FIELD OP VALUE. */
#include "filter/term.h"

#include <ctype.h>

#define STRING_MAX	256		/* the kernel's maximum length of a string in a
					 * filter, with the NUL */

/* ---- parse FIELD and OP of a predicate ---- */

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
	/* The end of the field must fit into the 16 bits of filter_insn.offset.  Every
	 * record is smaller than that. */
	if ((uint64_t)t->field.offset + t->field.size > UINT16_MAX)
		return -E2BIG;
	/* Accept .ustring and ignore it: all strings are in user space. */
	term_accept(p, ".ustring");
	t->is_function = term_accept(p, FILTER_FUNCTION);
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

/* Returns the length of the C++ name at @text.  A blank does not end the name if it is inside
 * brackets, or before `const` after parameters.  A closing bracket whose opening bracket is
 * not in the name belongs to the filter, so it ends the name. */
static size_t written_name_len(const char *text)
{
	size_t len = 0, depth = 0;

	for (; text[len] && (depth || !parser_is_space(text[len])); len++) {
		if (strchr("(<{", text[len]))
			depth++;
		else if (depth && strchr(")>}", text[len]))
			depth--;
		else if (text[len] == ')')
			break;
	}
	if (len && text[len - 1] == ')' && !strncmp(text + len, " const", 6) &&
	    !term_word_len(text + len + 6))
		len += 6;
	return depth ? 0 : len;
}

/*
 * Find the name of a function in the value at @text.  Returns the length of the value.
 * A name of C ends before a blank, and quotes are a part of it, as in the kernel.  A
 * name of C++ may be in quotes.  In quotes it may also contain operators of filters,
 * for example `A::f() &&`.
 */
static size_t parse_function_name(const char *text, const char **ret_name, size_t *ret_len)
{
	const char *end = *text == '"' || *text == '\'' ? strchr(text + 1, *text) : NULL;
	size_t len = 0, written;

	if (end && text + 1 + term_word_len(text + 1) != end) {
		*ret_name = text + 1;
		*ret_len = (size_t)(end - *ret_name);
		return *ret_len + 2;
	}
	while (text[len] && !parser_is_space(text[len]))
		len++;
	if (memchr(text, '(', len) || memmem(text, len, "::", 2)) {
		written = written_name_len(text);
		len = written ? written : len;
	}
	*ret_name = text;
	*ret_len = len;
	return len;
}

bool filter_next_function(const char *text, size_t *at, const char **ret_name,
			  size_t *ret_len)
{
	const char *found;

	while ((found = strstr(text + *at, FILTER_FUNCTION))) {
		found += strlen(FILTER_FUNCTION);
		while (parser_is_space(*found))
			found++;
		*at = (size_t)(found - text);
		if (strncmp(found, "==", 2) && strncmp(found, "!=", 2))
			continue;
		found += 2;
		while (parser_is_space(*found))
			found++;
		*at = (size_t)(found - text);
		if (!*found || isdigit((unsigned char)*found))
			continue;
		*at += parse_function_name(found, ret_name, ret_len);
		return true;
	}
	return false;
}

/* Parse VALUE of a predicate with .function: the name of functions, or an address in a
 * function.  Returns the number of functions, with their addresses in @ret_ranges; or
 * -errno. */
static int find_functions(struct parser *p, struct filter_range *ret_ranges)
{
	const struct filter_env *env = p->env;
	const char *name;
	uint64_t addr;
	size_t len;
	int r;

	if (isdigit((unsigned char)p->text[p->at])) {
		r = term_parse_unsigned(p, FILTER_ERR_INVALID_VALUE, &addr);
		if (r)
			return r;
		r = env->function_at ? env->function_at(env->ctx, addr, ret_ranges) : -ENOENT;
		r = r ? r : 1;
	} else {
		p->at += parse_function_name(p->text + p->at, &name, &len);
		r = env->functions ? env->functions(env->ctx, name, len, ret_ranges) : -ENOENT;
	}
	if (r == -E2BIG)
		return term_fail(p, FILTER_ERR_TOO_MANY_FUNCTIONS, p->at);
	return r > 0 ? r : term_fail(p, FILTER_ERR_NO_FUNCTION, p->at);
}

/* Emit a predicate that is true if the field's value is in one of the @nr ranges of
 * addresses. */
static struct part emit_ranges(struct parser *p, const struct term *t,
			       const struct filter_range *ranges, uint32_t nr)
{
	struct part all = { .yes = WAY_END, .no = WAY_END };
	uint32_t done = 0;

	for (uint32_t i = 0; i < nr; i++) {
		struct part one;

		if (ranges[i].start >= ranges[i].end)
			continue;	/* skip a symbol without a size: it contains no
					 * address */
		if (done++)
			code_patch(&p->code, all.no, code_nr_insns(&p->code));
		one = term_emit_range(p, &t->field, ranges[i].start, ranges[i].end - 1);
		all.yes = code_join(&p->code, all.yes, one.yes);
		all.no = one.no;
	}
	return done ? all : term_emit_never(p);
}

/* Parse a predicate with .function, which is true if the field is an address in the
 * function. */
static int parse_function(struct parser *p, const struct term *t,
			  struct part *ret_part)
{
	struct filter_range ranges[FILTER_RANGES_MAX];
	struct part inside;
	int nr;

	if (t->field.size != sizeof(uint64_t) || t->field.use == USE_FLOAT)
		return term_fail(p, FILTER_ERR_ILLEGAL_FIELD_OP, p->at);
	if (t->op != OP_EQ && t->op != OP_NE)
		return term_fail(p, FILTER_ERR_INVALID_OP, p->at);
	nr = find_functions(p, ranges);
	if (nr < 0)
		return nr;
	inside = emit_ranges(p, t, ranges, (uint32_t)nr);
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
