/* SPDX-License-Identifier: MIT */
#include "server/dynamic/numbers_text.h"

#include <errno.h>
#include <stdbool.h>

/* Return the value of the digit @c (0 to 15), or 16 if @c is not a digit. */
static uint32_t digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (uint32_t)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10 : 16;
}

/* Parse the digits at @text, and set *@ret_end to the text after them.  Returns true if
 * the value does not fit into 64 bits. */
static bool parse_digits(const char *text, uint64_t *ret_value, const char **ret_end)
{
	uint64_t value = 0;
	uint32_t base = 10;
	bool is_too_large = false;

	if (text[0] == '0') {
		base = 8;
		if ((text[1] | 0x20) == 'x' && digit_of(text[2]) < 16) {
			base = 16;
			text += 2;
		}
	}
	for (; digit_of(*text) < base; text++) {
		is_too_large |= value > (UINT64_MAX - digit_of(*text)) / base;
		value = value * base + digit_of(*text);
	}
	*ret_value = value;
	*ret_end = text;
	return is_too_large;
}

uint64_t number_scan(const char *text, const char **ret_end)
{
	uint64_t value;

	parse_digits(text, &value, ret_end);
	return value;
}

static int parse_integer(const char *text, uint64_t *ret_value)
{
	const char *end;

	if (parse_digits(text, ret_value, &end))
		return -ERANGE;
	return end == text || *end ? -EINVAL : 0;
}

int number_parse_unsigned(const char *text, uint64_t *ret_value)
{
	return parse_integer(text + (*text == '+'), ret_value);
}

int number_parse_signed(const char *text, int64_t *ret_value)
{
	bool is_negative = *text == '-';
	uint64_t value;
	int r = is_negative ? parse_integer(text + 1, &value) : number_parse_unsigned(text, &value);

	if (r)
		return r;
	if (value > (uint64_t)INT64_MAX + is_negative)
		return -ERANGE;
	*ret_value = (int64_t)(is_negative ? -value : value);
	return 0;
}
