/* SPDX-License-Identifier: MIT */
/*
 * Parse the trigger of a histogram, as `hist` and `trigger` show it:
 *
 *	hist:name=N:keys=a,b.hex:vals=hitcount,c:x=d:sort=a:size=2048:onmax($x).save(e,f)
 *		if FILTER [active]
 */
#include <string.h>

#include "cli/hist_text.h"

struct span span_cut(struct span *rest, char end)
{
	const char *at = rest->len ? memchr(rest->at, end, rest->len) : NULL;
	struct span span = *rest;

	if (!at) {
		*rest = (struct span){ rest->at + rest->len, 0 };
		return span;
	}
	span.len = (size_t)(at - rest->at);
	*rest = span_after(*rest, span.len + 1);
	return span;
}

struct span span_trim(struct span span)
{
	while (span.len && span.at[span.len - 1] == ' ')
		span.len--;
	return span;
}

bool span_number(struct span span, unsigned int base, uint64_t *ret_number)
{
	uint64_t number = 0;

	if (!span.len)
		return false;
	for (size_t i = 0; i < span.len; i++) {
		char c = span.at[i];
		unsigned int digit = c >= '0' && c <= '9' ? (unsigned int)(c - '0') :
				     c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a' + 10) : 99;

		if (digit >= base || __builtin_mul_overflow(number, (uint64_t)base, &number) ||
		    __builtin_add_overflow(number, (uint64_t)digit, &number))
			return false;
	}
	*ret_number = number;
	return true;
}

static const char *find_in(struct span span, const char *text)
{
	return memmem(span.at, span.len, text, strlen(text));
}

/* ---- fields ---- */

/* Parse a field of keys= or vals=.  In the entries, the label of a field is its name without
 * the modifier, but the label of an expression keeps the modifier. */
static struct hist_field parse_field(struct span token)
{
	static const struct {
		const char *name;
		enum hist_field_form form;
	} modifiers[] = {
		{ "hex", FIELD_HEX }, { "sym", FIELD_SYM }, { "sym-offset", FIELD_SYM },
		{ "syscall", FIELD_SYSCALL }, { "execname", FIELD_EXECNAME },
		{ "log2", FIELD_LOG2 }, { "buckets", FIELD_BUCKETS }, { "usecs", FIELD_PLAIN },
		{ "percent", FIELD_PERCENT }, { "graph", FIELD_GRAPH },
		{ "stacktrace", FIELD_STACK },
	};
	struct hist_field field = { .token = token, .label = token };
	const char *dot = memrchr(token.at, '.', token.len);
	struct span label = token, modifier;

	if (span_is(token, "common_stacktrace"))
		field.form = FIELD_STACK;
	if (!dot)
		return field;
	label.len = (size_t)(dot - token.at);
	modifier = span_after(token, label.len + 1);
	modifier = span_cut(&modifier, '=');
	for (size_t i = 0; i < label.len; i++) {
		if (strchr("+-*/", label.at[i]))
			return field;
	}
	for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++) {
		if (span_is(modifier, modifiers[i].name)) {
			field.form = modifiers[i].form;
			field.label = label;
		}
	}
	return field;
}

/* Return true if entries have no column for this value: the value is hitcount, which each
 * entry shows anyway, or an expression. */
static bool is_without_column(const struct hist_field *field)
{
	if (span_is(field->token, "hitcount"))
		return true;
	for (size_t i = 0; i < field->label.len; i++) {
		if (strchr("+-*/", field->label.at[i]))
			return true;
	}
	return false;
}

/* Parse a list of fields.  Returns false if there are more than @max fields. */
static bool parse_fields(struct span list, struct hist_field *fields, uint32_t max,
			 uint32_t *ret_nr, bool are_values)
{
	uint32_t nr = 0;

	while (list.len) {
		struct hist_field field = parse_field(span_cut(&list, ','));

		if (are_values && is_without_column(&field))
			continue;
		/* For a constant the entries show no label. */
		if (field.label.len && field.label.at[0] >= '0' && field.label.at[0] <= '9')
			field.label.len = 0;
		if (nr == max)
			return false;
		fields[nr++] = field;
	}
	*ret_nr = nr;
	return true;
}

/* ---- the trigger ---- */

/* If @part is an action save(), parse its parameters. */
static bool parse_save(struct span part, struct hist_block *block)
{
	static const char save[] = ").save(";
	const char *at = find_in(part, save);
	struct span list;

	if (!at || part.at[part.len - 1] != ')')
		return true;
	list = span_after(part, (size_t)(at - part.at) + strlen(save));
	list.len--;
	for (block->nr_saved = 0; list.len; block->nr_saved++) {
		struct span token = span_cut(&list, ',');

		if (block->nr_saved == HIST_TEXT_SAVED)
			return false;
		block->saved[block->nr_saved] = (struct hist_field){ token, token, 0, false };
	}
	return true;
}

static bool parse_part(struct span part, struct hist_block *block)
{
	if (span_starts(part, "name="))
		block->name = span_after(part, strlen("name="));
	else if (span_starts(part, "keys="))
		return parse_fields(span_after(part, strlen("keys=")), block->keys,
				    HIST_TEXT_KEYS, &block->nr_keys, false);
	else if (span_starts(part, "vals="))
		return parse_fields(span_after(part, strlen("vals=")), block->vals,
				    HIST_TEXT_VALS, &block->nr_vals, true);
	else if (span_is(part, "nohitcount"))
		block->is_nohitcount = true;
	else
		return parse_save(part, block);
	return true;
}

/* Cut the state and the filter off the end of the trigger's line. */
static bool cut_state(struct span *line, struct hist_block *block)
{
	static const char active[] = " [active]", paused[] = " [paused]", filter[] = " if ";
	const char *at;

	if (line->len < strlen(active))
		return false;
	at = line->at + line->len - strlen(active);
	block->is_paused = !memcmp(at, paused, strlen(paused));
	if (!block->is_paused && memcmp(at, active, strlen(active)))
		return false;
	line->len -= strlen(active);
	at = find_in(*line, filter);
	if (at) {
		size_t len = (size_t)(at - line->at);

		block->filter = span_after(*line, len + strlen(filter));
		line->len = len;
	}
	return true;
}

bool hist_trigger_parse(struct span line, struct hist_block *ret_block)
{
	struct span rest;

	if (!span_starts(line, "hist:") || !cut_state(&line, ret_block))
		return false;
	ret_block->trigger = line;
	rest = span_after(line, strlen("hist:"));
	while (rest.len) {
		if (!parse_part(span_cut(&rest, ':'), ret_block))
			return false;
	}
	return ret_block->nr_keys > 0;
}
