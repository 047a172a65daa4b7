/* SPDX-License-Identifier: MIT */
/* Write strings of JSON. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stddef.h>

struct text;

/* Append the string @string in quotes.  JSON must be valid UTF-8, so each invalid byte
 * becomes U+FFFD. */
void json_put_string(struct text *out, const char *string, size_t len);

#endif
