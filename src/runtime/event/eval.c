/* SPDX-License-Identifier: MIT */
/* Handle TRACE_DEFINE_ENUM and TRACE_DEFINE_SIZEOF: replace names in print formats by the
 * values that the compiler has computed for them. */
#include <stdio.h>
#include <string.h>

#include "abi/control.h"
#include "runtime/event/eval.h"

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

static size_t word_len(const char *s)
{
	size_t len = 0;

	while (is_word(s[len]))
		len++;
	return len;
}

/* Returns the length of a string or character literal, including both quotes.  A
 * literal without a second quote ends at the end of the text. */
static size_t literal_len(const char *s)
{
	size_t len = 1;

	while (s[len] && s[len] != s[0])
		len += s[len] == '\\' && s[len + 1] ? 2 : 1;
	return s[len] ? len + 1 : len;
}

/* Returns the name in @module's list for events of @system that is the whole word
 * at @s, or NULL if there is no such name. */
static const struct ulf_eval *find_eval(const struct ulf_module *module,
					const char *system, const char *s)
{
	for (const struct ulf_eval **e = module->evals; e < module->evals_end;
	     e++) {
		size_t len;

		if ((*e)->text[0] != *s)	/* do a cheap check first, because there
						 * are many names */
			continue;
		len = strlen((*e)->text);
		if (!strncmp((*e)->text, s, len) && !is_word(s[len]) &&
		    !strcmp((*e)->system, system))
			return *e;
	}
	return NULL;
}

static bool is_member(const char *text, const char *word)
{
	return (word > text && word[-1] == '.') ||
	       (word > text + 1 && word[-2] == '-' && word[-1] == '>');
}

void eval_resolve(const struct ulf_module *module, const char *system,
		  const char *text,
		  void (*put)(void *arg, const char *s, size_t len), void *arg)
{
	const char *s = text;

	while (*s) {
		const struct ulf_eval *eval = NULL;
		size_t len = 1;
		char number[24];

		if (*s == '"' || *s == '\'') {
			len = literal_len(s);
		} else if (is_word(*s)) {
			len = word_len(s);
			if (!is_member(text, s))
				eval = find_eval(module, system, s);
		}
		if (!eval) {
			put(arg, s, len);
			s += len;
			continue;
		}
		put(arg, number, (size_t)snprintf(number, sizeof(number), "%ld",
						  eval->value));
		s += strlen(eval->text);
	}
}

void eval_names(const struct ulf_module *module, const char *system,
		void (*put)(void *arg, const char *s, size_t len), void *arg)
{
	size_t bytes = 0;

	for (const struct ulf_eval **e = module->evals; e < module->evals_end;
	     e++) {
		size_t len = strlen((*e)->text);
		int64_t value = (*e)->value;

		/* Skip sizeof(type), which is not an identifier, and names of other
		 * systems. */
		if (word_len((*e)->text) != len || strcmp((*e)->system, system))
			continue;
		bytes += sizeof(value) + len + 1;
		if (bytes > ABI_NAMES_BYTES)
			break;
		put(arg, (const char *)&value, sizeof(value));
		put(arg, (*e)->text, len + 1);
	}
}
