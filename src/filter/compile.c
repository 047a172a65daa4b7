/* SPDX-License-Identifier: MIT */
/*
 * The filter compiler: predicates, joined by && and ||, with ! and parentheses.
 *
 * Instructions are emitted in the order of the text, so every branch leads forward.
 * The token after a predicate decides where its branches go: before &&, its `yes` leads
 * to the next predicate; before ||, its `no` does.  The other branch stays open
 * (without a target) until the end of the && chain or of the parenthesis.  ! swaps the
 * open `yes` and `no` branches.
 *
 * Example: a && !(b || c) becomes three instructions.  End 3 drops the record, end 4
 * keeps it:
 *
 *	0: a	yes: 1	no: 3
 *	1: b	yes: 3	no: 2
 *	2: c	yes: 3	no: 4
 */
#include "filter/compile.h"

#include <errno.h>
#include <stdlib.h>

/* A level of the parser: an open parenthesis, or, for the first level, the whole expression. */
struct level {
	uint16_t yes;			/* number of the first `yes` branch that has no target
					 * yet, in the terms that || joins so far; WAY_END:
					 * there is none */
	uint16_t no;			/* number of the first `no` branch that has no target
					 * yet, in the terms that && joins so far; WAY_END:
					 * there is none */
	bool is_not;			/* true: a ! precedes the parenthesis */
};

bool parser_is_space(char c)
{
	return c && strchr(" \t\n\v\f\r", c);
}

void parser_skip_space(struct parser *p)
{
	while (parser_is_space(p->text[p->at]))
		p->at++;
}

const char *filter_error_text(enum filter_error_code code)
{
	static const char *const texts[] = {
#define X(code, text) text,
		FILTER_ERRORS(X)
#undef X
	};

	return texts[code < FILTER_NR_ERRORS ? code : FILTER_ERR_NONE];
}

/*
 * Check, before the filter is parsed, that quotes and parentheses come in pairs.  @open: memory
 * for the positions of open parentheses.  The errors are those that write(2) returns in the
 * kernel.  Some of them look arbitrary, but follow from how the kernel's parser returns errors.
 */
static int check_quotes_and_parens(struct parser *p, uint16_t *open)
{
	const char *text = p->text, *end;
	size_t depth = 0;
	bool is_empty = true;

	for (size_t i = 0; text[i]; i++) {
		switch (text[i]) {
		case '\'':
		case '"':
			end = strchr(text + i + 1, text[i]);
			if (!end)
				return parser_fail(p, FILTER_ERR_MISSING_QUOTE,
						   i, -ESRCH);
			i = end - text;
			is_empty = false;
			break;
		case '(':
			open[depth++] = (uint16_t)i;
			break;
		case ')':
			if (!depth)
				return parser_fail(p, FILTER_ERR_TOO_MANY_CLOSE,
						   i, -EPERM);
			depth--;
			break;
		default:
			is_empty &= parser_is_space(text[i]);
			break;
		}
	}
	if (depth)
		return parser_fail(p, FILTER_ERR_TOO_MANY_OPEN, open[depth - 1],
				   -ENOENT);
	return is_empty ? -EINVAL : 0;
}

/* Parse the parentheses and ! before a predicate, and push a level for each parenthesis.
 * Returns true if an odd number of ! stands directly before the predicate. */
static bool open_levels(struct parser *p, struct level **top)
{
	bool is_not = false;

	for (;; p->at++) {
		const char *s = p->text + p->at;

		if (*s == '(') {
			*++*top = (struct level){ WAY_END, WAY_END, is_not };
			is_not = false;
		} else if (*s == '!' && s[1] != '=' && s[1] != '~') {
			is_not = !is_not;
		} else if (!parser_is_space(*s)) {
			return is_not;
		}
	}
}

/*
 * Add @part, a predicate, to the chain of predicates that && has joined so far.  Afterwards
 * @part has all `no` branches of the chain that have no target yet.
 */
static void end_and_chain(struct code *code, struct level *level, struct part *part)
{
	part->no = code_join(code, level->no, part->no);
	level->no = WAY_END;
}

/*
 * Add @part, whose predicates are joined by &&, to the chain that || has joined so far.
 * Afterwards @part has all `yes` branches of the chain that have no target yet.
 */
static void end_or_chain(struct code *code, struct level *level, struct part *part)
{
	part->yes = code_join(code, level->yes, part->yes);
	level->yes = WAY_END;
}

/*
 * Parse the tokens after a predicate: any number of ), then && or ||.  Returns 1 after
 * && or ||.  Returns 0 at the end of the text; *@part is then the whole expression.
 * Otherwise returns -errno.
 */
static int close_levels(struct parser *p, struct level **top,
			const struct level *bottom, struct part *part)
{
	struct code *code = &p->code;

	for (;;) {
		const char *s;

		parser_skip_space(p);
		s = p->text + p->at;
		end_and_chain(code, *top, part);
		if (s[0] == '&' && s[1] == '&') {
			p->at += 2;
			code_patch(code, part->yes, code_nr_insns(code));
			(*top)->no = part->no;
			return 1;
		}
		end_or_chain(code, *top, part);
		if (s[0] == '|' && s[1] == '|') {
			p->at += 2;
			code_patch(code, part->no, code_nr_insns(code));
			(*top)->yes = part->yes;
			return 1;
		}
		if (!*s)
			return 0;
		if (*s != ')')
			return parser_fail(p, FILTER_ERR_TOO_MANY_PREDS, p->at,
					   -EPERM);
		p->at++;
		/* This ) closes no level: its ( was parsed as a part of a function's name or
		 * of a list of CPUs. */
		if (*top == bottom)
			return parser_fail(p, FILTER_ERR_TOO_MANY_CLOSE, p->at,
					   -EPERM);
		if ((*top)->is_not)
			*part = part_not(*part);
		(*top)--;
	}
}

/* Parse the whole filter.  @bottom: memory for the levels of the parser.  The first
 * level is for the whole text, each further level for an open parenthesis. */
static int parse_expression(struct parser *p, struct level *bottom, struct part *part)
{
	struct level *top = bottom;
	int r = 1;

	*bottom = (struct level){ WAY_END, WAY_END, false };
	while (r > 0) {
		bool is_not = open_levels(p, &top);

		if (!p->text[p->at])
			return parser_fail(p, code_nr_insns(&p->code) ?
					   FILTER_ERR_INVALID_FILTER :
					   FILTER_ERR_NO_FILTER, p->at, -EINVAL);
		r = parse_term(p, part);
		if (r)
			return r;
		if (is_not)
			*part = part_not(*part);
		r = close_levels(p, &top, bottom, part);
	}
	if (!r && top != bottom)
		return parser_fail(p, FILTER_ERR_TOO_MANY_OPEN, p->at + 1,
				   -EPERM);
	return r;
}

static int compile_expression(struct parser *p, size_t len,
			      struct filter_program **ret_program)
{
	struct level *levels = reallocarray(NULL, len + 1, sizeof(*levels));
	uint16_t *open = reallocarray(NULL, len + 1, sizeof(*open));
	struct part all;
	int r = -ENOMEM;

	if (levels && open)
		r = check_quotes_and_parens(p, open);
	if (!r)
		r = parse_expression(p, levels, &all);
	if (!r)
		r = code_finish(&p->code, all, ret_program);
	free(levels);
	free(open);
	return r;
}

int filter_compile(const struct event_format *fmt, const char *text,
		   const struct filter_env *env,
		   struct filter_program **ret_program,
		   struct filter_error *ret_err)
{
	struct parser p = { .text = text, .fmt = fmt, .env = env };
	size_t len = strlen(text);
	int r = -EINVAL;

	if (len < FILTER_TEXT_MAX) {
		code_init(&p.code);
		r = compile_expression(&p, len, ret_program);
		code_done(&p.code);
	}
	if (r)
		*ret_err = p.error;
	return r;
}
