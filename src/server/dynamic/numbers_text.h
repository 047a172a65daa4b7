/* SPDX-License-Identifier: MIT */
/* Parse numbers as the kernel does: octal if they begin with 0, hexadecimal if they begin
 * with 0x, otherwise decimal. */
#ifndef ULF_SERVER_NUMBERS_TEXT_H
#define ULF_SERVER_NUMBERS_TEXT_H

#include <stdint.h>

/* Parse a number that has no sign, or a + before it.  Returns 0; -ERANGE if the number
 * does not fit into 64 bits, even if wrong text follows it; or -EINVAL. */
int number_parse_unsigned(const char *text, uint64_t *ret_value);
/* Parse a number that may have a - before it.  Other numbers are parsed as by
 * number_parse_unsigned(). Returns 0, -ERANGE or -EINVAL. */
int number_parse_signed(const char *text, int64_t *ret_value);
/* Parse the digits at the start of @text, and set *@ret_end to the text after them.  Returns 0
 * if there are no digits.  If the number is too large, returns its lower 64 bits. */
uint64_t number_scan(const char *text, const char **ret_end);

#endif
