/* SPDX-License-Identifier: MIT */
/* Parse numbers as the kernel does: decimal, octal with 0 before them, or hexadecimal with 0x. */
#ifndef ULF_SERVER_NUMBERS_TEXT_H
#define ULF_SERVER_NUMBERS_TEXT_H

#include <stdint.h>

/* Parse a number without a sign, or with a +.  Returns 0; -ERANGE if the number does not fit,
 * also if wrong text follows it; or -EINVAL. */
int number_parse_unsigned(const char *text, uint64_t *ret_value);
/* Parse a number with a - or as number_parse_unsigned() does.  Returns what that returns. */
int number_parse_signed(const char *text, int64_t *ret_value);
/* Parse the digits at the start of @text, and set *@ret_end to the text after them.  Returns 0
 * if there are no digits.  If the number is too large, returns its lower 64 bits. */
uint64_t number_scan(const char *text, const char **ret_end);

#endif
