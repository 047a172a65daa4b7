/* SPDX-License-Identifier: MIT */
/* set_event's spellings, for events that are wanted from the start. */
#include <string.h>

#include "base/glob.h"
#include "runtime/runtime.h"

static bool match_word(const char *word, size_t len, const char *system,
		       const char *name)
{
	const char *colon = memchr(word, ':', len);
	size_t left;

	if (!colon)
		return glob_match_n(word, len, system) ||
		       glob_match_n(word, len, name);
	left = (size_t)(colon - word);
	if (left && !glob_match_n(word, left, system))
		return false;
	return left + 1 == len ||
	       glob_match_n(colon + 1, len - left - 1, name);
}

bool match_event(const char *words, const char *system, const char *name)
{
	while (*words) {
		size_t len = strcspn(words, ", \t\n");

		if (len && match_word(words, len, system, name))
			return true;
		words += len;
		words += strspn(words, ", \t\n");
	}
	return false;
}
