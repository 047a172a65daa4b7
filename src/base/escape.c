/* SPDX-License-Identifier: MIT */
/* Escape bytes that a terminal would obey; see escape.h. */
#include "base/escape.h"

#include <stdint.h>

#include "base/text.h"

#define MORE	0			/* result of decode_utf8(): the bytes end
					 * before the end of a character */
#define INVALID	(-1)			/* result of decode_utf8(): the bytes are no
					 * valid UTF-8 */

/* Characters that are always escaped.  A newline is escaped only with ESCAPE_NEWLINES. */
static const struct range {
	uint32_t first, last;
} unsafe[] = {
	{ 0x00, 0x08 },			/* C0 control characters except tab and newline */
	{ 0x0b, 0x1f },
	{ 0x7f, 0x9f },			/* DEL, and the C1 control characters */
	{ 0x061c, 0x061c },		/* marks that change the direction of writing,
					 * which can last into the next row */
	{ 0x200e, 0x200f },
	{ 0x2028, 0x202e },		/* line separators, and marks that override
					 * the direction of writing */
	{ 0x2066, 0x2069 },
};

/*
 * The forms of a UTF-8 character; the index is the number of bytes of the character.  A
 * character has a form if (first byte & mask) == bits.  @min is the smallest value that
 * needs this number of bytes.  Example: the first byte 0xc3 = 11000011 has the form of 2
 * bytes, because 0xc3 & 0xe0 == 0xc0.
 */
static const struct form {
	uint8_t mask, bits;
	uint32_t min;
} forms[] = {
	[1] = { 0x80, 0x00, 0 },
	[2] = { 0xe0, 0xc0, 0x80 },
	[3] = { 0xf0, 0xe0, 0x800 },
	[4] = { 0xf8, 0xf0, 0x10000 },
};

static bool is_valid_codepoint(uint32_t value, uint32_t min)
{
	return value >= min && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
}

/* Decode the UTF-8 character at @p.  Returns its length in bytes, MORE or
 * INVALID. */
static int decode_utf8(const uint8_t *p, size_t bytes, uint32_t *ret_value)
{
	uint32_t value;
	int len = 1, i;

	while (len <= 4 && (*p & forms[len].mask) != forms[len].bits)
		len++;
	if (len > 4)
		return INVALID;
	value = *p & (uint8_t)~forms[len].mask;
	for (i = 1; i < len; i++) {
		if ((size_t)i == bytes)
			return MORE;
		if ((p[i] & 0xc0) != 0x80)
			return INVALID;
		value = value << 6 | (p[i] & 0x3f);
	}
	*ret_value = value;
	return is_valid_codepoint(value, forms[len].min) ? len : INVALID;
}

static bool is_unsafe_codepoint(uint32_t value, int flags)
{
	size_t i;

	if (value == '\n')
		return flags & ESCAPE_NEWLINES;
	for (i = 0; i < sizeof(unsafe) / sizeof(unsafe[0]); i++) {
		if (value >= unsafe[i].first && value <= unsafe[i].last)
			return true;
	}
	return false;
}

static void put_escaped_bytes(const uint8_t *p, int len, struct text *out)
{
	int i;

	for (i = 0; i < len; i++) {
		if (p[i] == '\n')
			text_puts(out, "\\n");
		else if (p[i] == '\r')
			text_puts(out, "\\r");
		else
			text_printf(out, "\\x%02x", p[i]);
	}
}

size_t escape_text(const char *data, size_t bytes, int flags, struct text *out)
{
	const uint8_t *p = (const uint8_t *)data;
	size_t at = 0;

	while (at < bytes) {
		uint32_t value = 0;
		int len = decode_utf8(p + at, bytes - at, &value);

		if (len == MORE && !(flags & ESCAPE_END))
			break;
		if (len <= 0) {
			len = 1;
			put_escaped_bytes(p + at, 1, out);
		} else if (is_unsafe_codepoint(value, flags)) {
			put_escaped_bytes(p + at, len, out);
		} else {
			text_write(out, p + at, (size_t)len);
		}
		at += (size_t)len;
	}
	return at;
}

size_t utf8_length(const char *data, size_t bytes)
{
	uint32_t value;
	int len = decode_utf8((const uint8_t *)data, bytes, &value);

	return len > 0 ? (size_t)len : 0;
}
