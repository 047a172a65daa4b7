/* SPDX-License-Identifier: MIT */
/*
 * Names of numbers: op == DISK_READ, op == "read", flags & WRONLY.  The kernel accepts no
 * such names.  So that all filters of the kernel keep their meaning, three kinds of values
 * are never taken for such names: a token that begins with a digit is a number, CPUS{} is a
 * list, and a string field is compared with a string.
 */
#include <ctype.h>
#include <string.h>

#include "base/nearest.h"
#include "event/format.h"
#include "filter/term.h"

/* The state of a search for a name among all names of a field. */
struct lookup {
	const char *name;
	size_t len;
	/*
	 * results of the search: element 1 is for names that are identifiers, which take
	 * precedence; element 0 is for names that are texts in quotes
	 */
	struct {
		bool is_found, is_ambiguous;
		uint64_t value;
	} by[2];
};

/* Callback (filter_name_fn): store the value if @name is the name to find. */
static void match_value_name(void *arg, const char *name, size_t len, uint64_t value,
			     bool is_constant)
{
	struct lookup *lookup = arg;

	if (len != lookup->len || memcmp(name, lookup->name, len))
		return;
	lookup->by[is_constant].is_ambiguous |= lookup->by[is_constant].is_found &&
						lookup->by[is_constant].value != value;
	lookup->by[is_constant].is_found = true;
	lookup->by[is_constant].value = value;
}

/* Find a name among the names of the field.  Returns 0 and the value; -ENOENT if there is
 * no such name; or -ENOTUNIQ if the name has several values. */
static int find_value_name(const struct parser *p, const struct term *t, const char *name,
			   size_t len, uint64_t *ret_value)
{
	struct lookup lookup = { .name = name, .len = len };
	bool is_constant;

	p->env->names(p->env->ctx, p->fmt, t->field.offset, match_value_name, &lookup);
	is_constant = lookup.by[true].is_found;
	if (!lookup.by[is_constant].is_found)
		return -ENOENT;
	*ret_value = lookup.by[is_constant].value;
	return lookup.by[is_constant].is_ambiguous ? -ENOTUNIQ : 0;
}

static bool is_quote(char c)
{
	return c == '"' || c == '\'';
}

/* Find the name at *@at: an identifier, or a text in quotes.  Move *@at to its first
 * character.  Returns the length of the name; 0 if there is no name. */
static size_t parse_name_token(const char **at)
{
	const char *end;

	if (is_quote(**at)) {
		end = strchr(*at + 1, **at);
		++*at;
		return end ? (size_t)(end - *at) : 0;
	}
	return isdigit((unsigned char)**at) ? 0 : term_word_len(*at);
}

/* Returns true if the term may compare its field with a name.  The field must be a number.
 * ==, != and & accept an identifier or a text in quotes (@is_quoted).  <, <=, > and >= accept
 * only an identifier, because texts have no order.  ~ accepts no name. */
static bool accepts_name(const struct term *t, bool is_quoted)
{
	if (t->field.use != USE_NUMBER && t->field.use != USE_CPU)
		return false;
	return t->op == OP_EQ || t->op == OP_NE || t->op == OP_AND ||
	       (t->op != OP_GLOB && !is_quoted);
}

int term_parse_name(struct parser *p, const struct term *t, struct part *ret_part)
{
	const char *start = p->text + p->at, *name = start;
	bool is_quoted = is_quote(*start);
	size_t len = parse_name_token(&name);
	uint64_t value;
	int r;

	if (!len || !p->env->names || !accepts_name(t, is_quoted) ||
	    (!is_quoted && len == strlen("CPUS") && !memcmp(name, "CPUS", len)))
		return -ENOENT;
	r = find_value_name(p, t, name, len, &value);
	if (r == -ENOTUNIQ)
		return term_fail(p, FILTER_ERR_AMBIGUOUS_NAME, p->at);
	if (r)
		return r;
	p->at += (size_t)(name - start) + len + is_quoted;
	*ret_part = term_emit_compare(p, &t->field, t->op, value);
	return 0;
}

/* ---- suggest a correct name in place of a wrong name ---- */

/* Callback (filter_name_fn): offer @name to the search for the most similar name. */
static void offer_value_name(void *arg, const char *name, size_t len, uint64_t value,
			     bool is_constant)
{
	char copy[NEAREST_MAX + 1];

	(void)value;
	(void)is_constant;
	if (len > NEAREST_MAX)
		return;
	memcpy(copy, name, len);
	copy[len] = '\0';
	nearest_offer(arg, copy);
}

/* Returns the start of the identifier that ends at @end. */
static size_t identifier_start(const char *text, size_t end)
{
	while (end && (isalnum((unsigned char)text[end - 1]) || text[end - 1] == '_'))
		end--;
	return end;
}

/* Skip characters of the set @what backwards from @at.  Returns the new position. */
static size_t skip_chars_back(const char *text, size_t at, const char *what)
{
	while (at && strchr(what, text[at - 1]))
		at--;
	return at;
}

/* The value at @at of a filter is wrong.  Suggest names that can be compared with the field
 * before this value. */
static void offer_value_names(const struct event_format *fmt, const char *text, size_t at,
			      const struct filter_env *env, struct nearest *near)
{
	const char *name = text + at;
	size_t len = parse_name_token(&name), start, end;
	struct term_field field;

	end = skip_chars_back(text, at, " \t");
	end = skip_chars_back(text, end, "=!<>&~");
	end = skip_chars_back(text, end, " \t");
	start = identifier_start(text, end);
	nearest_init(near, name, len);
	if (env->names && term_find_field(fmt, text + start, end - start, &field))
		env->names(env->ctx, fmt, field.offset, offer_value_name, near);
}

const char *filter_error_near(const struct event_format *fmt, const char *text,
			      const struct filter_env *env,
			      const struct filter_error *error, struct nearest *near)
{
	size_t at = error->pos ? error->pos - 1 : 0, start;

	nearest_init(near, "", 0);
	if (at > strlen(text))
		return NULL;
	if (error->code == FILTER_ERR_FIELD_NOT_FOUND) {
		start = identifier_start(text, at);
		nearest_init(near, text + start, at - start);
		term_offer_fields(fmt, near);
	} else if (error->code == FILTER_ERR_INVALID_VALUE ||
		   error->code == FILTER_ERR_EXPECT_DIGIT) {
		offer_value_names(fmt, text, at, env, near);
	}
	return nearest_name(near);
}
