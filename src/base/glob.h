/* SPDX-License-Identifier: MIT */
/* Globs as in the kernel: *, ?, [a-z], [!a-z] and \x. */
#ifndef ULF_BASE_GLOB_H
#define ULF_BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* The characters that are special in a glob.  A pattern without such a character
 * matches only a text that is equal to the pattern. */
#define GLOB_WILDCARDS	"*?[\\"

/* Returns true if all of @text matches the first @len bytes of @pattern. */
bool glob_match_n(const char *pattern, size_t len, const char *text);

/* Returns true if all of @text matches the first @len bytes of @pattern.  @text
 * has @text_len bytes and needs no NUL. */
bool glob_match_text(const char *pattern, size_t len, const char *text,
		     size_t text_len);

#endif
