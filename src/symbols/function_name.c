/* SPDX-License-Identifier: MIT */
/*
 * Parse names of functions item by item.  An item is a bracket with its contents, an
 * operator, `::`, or one character.  So the characters of `operator<` and `operator()` do not
 * count as brackets.  In this example a | marks the first character of each item:
 *
 *	A::operator< <int>(A const&) const
 *	||-|--------||----|---------||||||
 */
#include "symbols/function_name.h"

#include <string.h>

#include "base/glob.h"

/*
 * Functions that test characters.  isspace() and isalnum() would be slower, and up to 200,000
 * names are parsed.
 */
static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static bool has_prefix(const char *text, const char *end, const char *prefix)
{
	size_t len = strlen(prefix);

	return (size_t)(end - text) >= len && !memcmp(text, prefix, len);
}

/* ---- items ---- */

/* The operators of C++.  An operator must come before all operators that are a prefix of it. */
static const char *const operators[] = {
	"->*", "<=>", "<<=", ">>=", "()", "[]", "->", "++", "--", "<<", ">>", "<=", ">=",
	"==", "!=", "&&", "||", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "\"\"",
	"+", "-", "*", "/", "%", "^", "&", "|", "~", "!", "=", "<", ">", ",",
};

/* Return true if the keyword `operator` begins at @at, and is not a part of a longer
 * identifier.  @start: start of the text. */
static bool is_operator(const char *start, const char *at, const char *end)
{
	return *at == 'o' && has_prefix(at, end, "operator") &&
	       (at == start || !is_letter(at[-1])) &&
	       (at + 8 == end || !is_letter(at[8]));
}

static const char *skip_operator(const char *at, const char *end)
{
	at += strlen("operator");
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (has_prefix(at, end, operators[i]))
			return at + strlen(operators[i]);
	return at;
}

/* Return the closing bracket for the opening bracket at @at; 0 if there is no bracket at
 * @at. */
static char closing_bracket(const char *at, const char *end)
{
	switch (*at) {
	case '(':
		return ')';
	case '{':
		return '}';
	case '<':
		return '>';
	case '[':
		/* A [ that begins anything else is not a bracket: it begins a set of
		 * characters of a glob, such as [abc]. */
		return has_prefix(at, end, "[abi:") || has_prefix(at, end, "[clone") ?
		       ']' : 0;
	default:
		return 0;
	}
}

/* Skip the bracket that opens at @at, up to and including its closing bracket, or to @end.
 * Inside of ( ) only parentheses count as brackets, because < and > can be comparisons there. */
static const char *skip_bracket(const char *at, const char *end)
{
	char stack[2 * ELF_NAME_MAX];
	const char *start = at;
	size_t depth = 0;

	for (; at < end; at++) {
		char close = closing_bracket(at, end);

		if (depth && *at == stack[depth - 1] && !(*at == '>' && at[-1] == '-')) {
			if (!--depth)
				return at + 1;
		} else if (is_operator(start, at, end)) {
			at = skip_operator(at, end) - 1;
		} else if (close && depth < sizeof(stack) &&
			   (!depth || stack[depth - 1] != ')' || close == ')')) {
			stack[depth++] = close;
		}
	}
	return end;
}

/* Skip the text that follows `operator` in `operator new[]` or `operator unsigned int`, up
 * to the parameters or the command. */
static const char *skip_type(const char *at, const char *end)
{
	while (at < end && !strchr("(,\n", *at)) {
		if (*at == '<')
			at = skip_bracket(at, end);
		else if (has_prefix(at, end, "::"))
			at += 2;
		else if (*at == ':')
			break;
		else
			at++;
	}
	return at;
}

/* Return the position after the item at @at (see the top of this file).  @start: start
 * of the text. */
static const char *skip_item(const char *start, const char *at, const char *end)
{
	const char *next;

	if (*at != 'o' && is_letter(*at))
		return at + 1;
	if (is_operator(start, at, end)) {
		next = skip_operator(at, end);
		if (next[-1] == '"' || (next[-1] == 'r' && next < end && is_blank(*next)))
			return skip_type(next, end);
		return next;
	}
	if (closing_bracket(at, end))
		return skip_bracket(at, end);
	return *at == ':' && has_prefix(at, end, "::") ? at + 2 : at + 1;
}

/* ---- parse the tail: qualifiers and clones after the parameters ---- */

#define CLONE	"[clone "

/*
 * Return the position after the blanks and the qualifier (such as const), or after the blanks
 * and the clone ([clone ...]), at @at.  Returns @at if there is no qualifier and no clone.
 */
static const char *skip_qualifier(const char *at, const char *end)
{
	static const char *const qualifiers[] = {
		"const", "volatile", "noexcept", "&&", "&",
	};
	const char *word = at;

	while (word < end && is_blank(*word) && *word != '\n')
		word++;
	if (has_prefix(word, end, CLONE))
		return skip_bracket(word, end);
	for (size_t i = 0; i < sizeof(qualifiers) / sizeof(qualifiers[0]); i++) {
		const char *next = word + strlen(qualifiers[i]);

		if (has_prefix(word, end, qualifiers[i]) &&
		    (next == end || is_blank(*next) || strchr(":&*[", *next) || !*next))
			return next;
	}
	return at;
}

/* Return true if the text from @at to @end may be the beginning of a tail (qualifiers
 * and clones).  Examples: after the ) of `f() `, `f() con` or `f() [clo`. */
static bool is_name_tail_begun(const char *at, const char *end)
{
	static const char *const tails[] = { "const", "volatile", "noexcept", "&&", CLONE };

	if (at == end || !is_blank(*at))
		return false;
	while (at < end && is_blank(*at))
		at++;
	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++)
		if (!strncmp(tails[i], at, (size_t)(end - at)))
			return true;
	return false;
}

/* Skip all qualifiers and clones.  *@ret_clone: position of the first [clone ...], or the
 * position after the tail if there is none. */
static const char *skip_name_tail(const char *at, const char *end, const char **ret_clone)
{
	const char *next;

	*ret_clone = NULL;
	for (; (next = skip_qualifier(at, end)) != at; at = next)
		if (!*ret_clone && next[-1] == ']')
			*ret_clone = at;
	if (!*ret_clone)
		*ret_clone = at;
	return at;
}

/* ---- tokens ---- */

size_t function_word_len(const char *text, size_t len)
{
	const char *at = text, *end = memchr(text, '\n', len), *clone;
	const char *nul;

	if (!end)
		end = text + len;
	nul = memchr(text, '\0', (size_t)(end - text));
	if (nul)
		end = nul;
	while (at < end && !is_blank(*at)) {
		bool is_round = *at == '(';

		at = skip_item(text, at, end);
		if (!is_round)
			continue;
		at = skip_name_tail(at, end, &clone);
		if (end == text + len && is_name_tail_begun(at, end))
			at = end;
	}
	return (size_t)(at - text);
}

const char *function_word_colon(const char *word, size_t len)
{
	const char *end = word + len;

	for (const char *at = word; at < end; at = skip_item(word, at, end))
		if (*at == ':' && !has_prefix(at, end, "::"))
			return at;
	return NULL;
}

size_t function_item_len(const char *list, size_t len)
{
	const char *at = list, *end = list + len;

	while (at < end && *at != ',')
		at = skip_item(list, at, end);
	return (size_t)(at - list);
}

/* ---- names of C ---- */

bool function_name_is_clone(const char *raw, const char *name, size_t len)
{
	const char *cold;

	if (strncmp(raw, name, len) || raw[len] != '.')
		return false;
	cold = strstr(raw + len, ".cold");
	return !cold || (cold[5] && cold[5] != '.');
}

/* ---- find the parts of a C++ name ---- */

/* The positions of the parts of a C++ name; see function_name.h. */
struct parts {
	const char *name, *params, *tail, *clone, *end;
};

/* Return true if the bracket at @at contains the parameters.  This is so if only a tail
 * (qualifiers and clones) follows the bracket. */
static bool is_parameter_list(const char *at, const char *end, struct parts *parts)
{
	const char *after = skip_bracket(at, end);

	if (skip_name_tail(after, end, &parts->clone) != end)
		return false;
	parts->params = at;
	parts->tail = after;
	return true;
}

static void find_name_parts(const char *text, size_t len, struct parts *parts)
{
	const char *at = text, *end = text + len;

	*parts = (struct parts){ text, end, end, end, end };
	while (at < end) {
		const char *next = at;

		if (*at == '(' && is_parameter_list(at, end, parts))
			return;
		if (is_blank(*at))
			next = skip_name_tail(at, end, &parts->clone);
		if (next == end) {
			parts->params = parts->tail = at;	/* no parameters */
			return;
		}
		/* A blank ends the return type, except for the blank in `operator< <int>`. */
		if (is_blank(*at) && at[1] != '<')
			parts->name = at + 1;
		at = next != at ? next : skip_item(text, at, end);
	}
	parts->clone = end;
}

const char *function_name_shown(const char *plain)
{
	const char *first = strpbrk(plain, " (<");
	struct parts parts;

	/* Leave out the return type.  The demangled name of a template begins with a return
	 * type.  Such a name has a `<` or a blank before its parameters; names of other
	 * functions have no return type. */
	if (first && first != plain && *first == '(' && strncmp(plain, "decltype", 8))
		return plain;
	find_name_parts(plain, strlen(plain), &parts);
	return parts.name;
}

/* Append the characters from @from to before @to to @text, without blanks.  Returns the new
 * length of @text. */
static size_t copy_text(char *text, size_t len, const char *from, const char *to)
{
	for (; from < to && len < FUNCTION_SEARCH_MAX; from++)
		if (!is_blank(*from))
			text[len++] = *from;
	return len;
}

/* Copy a function's name to @form.  @is_bare: true to leave out < > and [abi: ] with their
 * contents. */
static void make_name_form(const struct parts *parts, bool is_bare, struct function_form *form)
{
	const char *next;
	size_t len = 0;

	form->nr_scopes = 0;
	for (const char *at = parts->name; at < parts->params; at = next) {
		next = skip_item(parts->name, at, parts->params);
		if (!is_bare || (*at != '<' && *at != '['))
			len = copy_text(form->text, len, at, next);
		if (*at == ':' && next - at == 2 && form->nr_scopes < FORM_SCOPES)
			form->scopes[form->nr_scopes++] = len;
	}
	form->name = len;
	form->params = copy_text(form->text, len, parts->params, parts->tail);
	form->tail = copy_text(form->text, form->params, parts->tail, parts->clone);
	form->all = copy_text(form->text, form->tail, parts->clone, parts->end);
	form->text[form->all] = '\0';
}

void function_name_each(const char *plain, void (*each)(void *arg, const char *name),
			void *arg)
{
	size_t len = strlen(plain);
	struct function_form form;
	struct parts parts;
	char *end;

	if (len > FUNCTION_SEARCH_MAX)
		return;
	find_name_parts(plain, len, &parts);
	make_name_form(&parts, true, &form);
	end = form.text + form.name;
	*end = '\0';
	each(arg, form.text);
	for (size_t i = 0; i < form.nr_scopes; i++)
		each(arg, form.text + form.scopes[i]);
}

size_t function_name_len(const char *word, size_t len)
{
	struct parts parts;

	find_name_parts(word, len, &parts);
	return (size_t)(parts.params - word);
}

/* ---- patterns ---- */

#define SCOPED		"*::"
#define SCOPED_LEN	(sizeof(SCOPED) - 1)

#define KEY_ENOUGH	4u		/* length of a letter sequence that is long enough for
					 * a quick test, because most names do not contain it */

/*
 * Store the key of a pattern: a run of letters in @text that every matching name must
 * contain.  The key is the last run of at least KEY_ENOUGH letters in the name (@name_len
 * bytes), because the first runs are common to many functions of a class.  If the name has no
 * such run, or the parameters have a longer run, the key is the longest run.  Stop at a [ and
 * at a backslash, because letters after these may match other characters.
 */
static void find_pattern_key(struct function_pattern *pattern, const char *text,
			     size_t name_len, size_t len)
{
	const char *key = text;
	size_t key_len = 0;

	for (size_t at = 0, run; at < len && !strchr("[\\", text[at]); at += run ? run : 1) {
		run = 0;
		while (at + run < len && is_letter(text[at + run]))
			run++;
		if (run > key_len || (run >= KEY_ENOUGH && at < name_len)) {
			key = text + at;
			key_len = run;
		}
	}
	memcpy(pattern->key, key, key_len);
	pattern->key[key_len] = '\0';
}

/* Return true if the `const` at @at is the first word of a parameter, or of a template
 * argument inside of < >. */
static bool is_const_first(const char *start, const char *at, const char *end)
{
	if (!has_prefix(at, end, "const") || at + 5 == end || !is_blank(at[5]))
		return false;
	while (at > start && is_blank(at[-1]))
		at--;
	return at > start && strchr("(,<", at[-1]);
}

/* Copy a pattern without blanks.  In brackets, `const T*` is written as the demangler
 * writes it: `T const*`. */
static size_t copy_pattern(const char *from, const char *end, char *to)
{
	const char *start = from;
	bool waits[ELF_NAME_MAX];	/* for each depth of brackets: true if a const was
					 * left out that must be added at the end of its type */
	size_t depth = 0, len = 0;

	waits[0] = false;
	for (; from < end; from++) {
		if (depth && is_const_first(start, from, end)) {
			waits[depth] = true;
			from += strlen("const");
			continue;
		}
		if (is_blank(*from))
			continue;
		if (waits[depth] && strchr("*&,)>", *from)) {
			len += (size_t)(stpcpy(to + len, "const") - (to + len));
			waits[depth] = false;
		}
		if (strchr("(<", *from))
			waits[++depth] = false;
		else if (strchr(")>", *from) && depth)
			depth--;
		to[len++] = *from;
	}
	to[len] = '\0';
	return len;
}

bool function_pattern_init(struct function_pattern *pattern, const char *text, size_t len)
{
	struct parts parts;

	pattern->len = 0;
	if (len >= ELF_NAME_MAX)
		return false;
	find_name_parts(text, len, &parts);
	pattern->has_params = parts.params < parts.tail;
	memcpy(pattern->scoped, SCOPED, SCOPED_LEN);
	pattern->text = pattern->scoped + SCOPED_LEN;
	pattern->len = copy_pattern(parts.name, text + len, pattern->scoped + SCOPED_LEN);
	pattern->has_wildcards = strpbrk(pattern->text, GLOB_WILDCARDS);
	find_pattern_key(pattern, parts.name, (size_t)(parts.params - parts.name),
			 (size_t)(text + len - parts.name));
	return pattern->len;
}

/*
 * Return true if the characters from @from to before @to of the function's name @form are equal
 * to the pattern.
 */
static bool is_same_as_pattern(const struct function_pattern *pattern,
			       const struct function_form *form, size_t from, size_t to)
{
	return to - from == pattern->len &&
	       !memcmp(form->text + from, pattern->text, pattern->len);
}

static bool is_glob_match(const struct function_pattern *pattern,
			  const struct function_form *form, size_t from, size_t to)
{
	return glob_match_text(pattern->text, pattern->len, form->text + from, to - from);
}

typedef bool (*compare)(const struct function_pattern *pattern,
			const struct function_form *form, size_t from, size_t to);

static bool is_match_from(const struct function_pattern *pattern,
			  const struct function_form *form, size_t from, compare is_same)
{
	if (!pattern->has_params)
		return is_same(pattern, form, from, form->name);
	return is_same(pattern, form, from, form->params) ||
	       is_same(pattern, form, from, form->tail) ||
	       is_same(pattern, form, from, form->all);
}

static bool is_match_in_scope(const struct function_pattern *pattern,
			      const struct function_form *form, compare is_same)
{
	for (size_t i = 0; i < form->nr_scopes; i++)
		if (is_match_from(pattern, form, form->scopes[i], is_same))
			return true;
	return false;
}

/* Match the glob "*::PATTERN".  This is a quick test before the exact test: it needs one
 * match instead of one match for each scope.  If the quick test fails, the exact test would
 * fail for each scope.  If it succeeds, the exact test must follow, because the `::` may be
 * inside of brackets. */
static bool is_glob_after_scope(const struct function_pattern *pattern,
				const struct function_form *form, size_t from, size_t to)
{
	return glob_match_text(pattern->scoped, SCOPED_LEN + pattern->len,
			       form->text + from, to - from);
}

static bool is_scoped_glob(const struct function_pattern *pattern,
			   const struct function_form *form)
{
	return form->nr_scopes &&
	       is_match_from(pattern, form, 0, is_glob_after_scope) &&
	       is_match_in_scope(pattern, form, is_glob_match);
}

static enum function_rung match_form(const struct function_pattern *pattern,
				     const struct function_form *form)
{
	if (is_match_from(pattern, form, 0, is_same_as_pattern))
		return RUNG_NAME;
	if (is_match_in_scope(pattern, form, is_same_as_pattern))
		return RUNG_SCOPED;
	if (!pattern->has_wildcards)
		return RUNG_NONE;
	if (is_match_from(pattern, form, 0, is_glob_match))
		return RUNG_GLOB;
	return is_scoped_glob(pattern, form) ? RUNG_SCOPED_GLOB : RUNG_NONE;
}

enum function_rung function_pattern_match(const struct function_pattern *pattern,
					  const char *plain)
{
	struct function_form form;
	enum function_rung rung, bare;
	struct parts parts;
	size_t len;

	if (!strstr(plain, pattern->key))
		return RUNG_NONE;
	len = strlen(plain);
	if (len > FUNCTION_SEARCH_MAX)
		return RUNG_NONE;
	find_name_parts(plain, len, &parts);
	make_name_form(&parts, false, &form);
	rung = match_form(pattern, &form);
	if (rung == RUNG_NAME || (!memchr(form.text, '<', form.name) &&
				  !memchr(form.text, '[', form.name)))
		return rung;
	make_name_form(&parts, true, &form);
	bare = match_form(pattern, &form);
	return bare < rung ? bare : rung;
}
