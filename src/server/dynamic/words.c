/* SPDX-License-Identifier: MIT */
#include "server/dynamic/words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool word_is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

const char *word_skip_spaces(const char *text)
{
	while (word_is_space(*text))
		text++;
	return text;
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool word_is_name(const char *name)
{
	if (!is_letter(*name))
		return false;
	while (is_letter(*name) || (*name >= '0' && *name <= '9'))
		name++;
	return !*name;
}

uint32_t word_column(const char *command, const char *word)
{
	const char *found = strstr(command, word);

	return found ? (uint32_t)(found - command) : 0;
}

/* End the token that starts at @at with a NUL.  Returns the address after this NUL. */
static char *end_word(char *at)
{
	while (*at && !word_is_space(*at))
		at++;
	if (*at)
		*at++ = '\0';
	return at;
}

int words_split(const char *text, size_t len, struct words *ret_words)
{
	struct words words = { .copy = strndup(text, len) };
	char *at = words.copy;

	/* A token has at least one character, and white space before or after it, so there are at
	 * most @len / 2 + 1 tokens. */
	words.word = calloc(len / 2 + 2, sizeof(*words.word));
	if (!words.copy || !words.word) {
		words_free(&words);
		return -ENOMEM;
	}
	for (;;) {
		while (word_is_space(*at))
			at++;
		if (!*at)
			break;
		words.word[words.nr++] = at;
		at = end_word(at);
	}
	*ret_words = words;
	return 0;
}

void words_free(struct words *words)
{
	free(words->copy);
	free(words->word);
	*words = (struct words){ .nr = 0 };
}
