/* SPDX-License-Identifier: MIT */
/* The kernel's globs: * and ? and [a-z] and \x. */
#ifndef ULF_BASE_GLOB_H
#define ULF_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* What has none of these matches nothing but itself. */
#define GLOB_WILDCARDS	"*?[\\"

/* Does all of @text match the first @len bytes of @pattern? */
bool glob_match_n(const char *pattern, size_t len, const char *text);

/* The same for a text that has a length and no NUL. */
bool glob_match_text(const char *pattern, size_t len, const char *text,
		     size_t text_len);

#endif
