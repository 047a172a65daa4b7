/* SPDX-License-Identifier: MIT */
#include "json.h"

#include "escape.h"
#include "text.h"

static void put_special(struct text *out, char c)
{
	if (c == '"' || c == '\\')
		text_printf(out, "\\%c", c);
	else if (c == '\n')
		text_puts(out, "\\n");
	else
		text_printf(out, "\\u%04x", (unsigned char)c);
}

/* Returns true if JSON can contain the byte @c unchanged, whatever byte
 * follows. */
static bool is_plain(char c)
{
	return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

void json_put_string(struct text *out, const char *string, size_t len)
{
	size_t at = 0;

	text_putc(out, '"');
	while (at < len) {
		size_t start = at, bytes;

		while (at < len && is_plain(string[at]))
			at++;
		text_write(out, string + start, at - start);
		if (at == len)
			break;
		bytes = utf8_length(string + at, len - at);
		if (!bytes)
			text_puts(out, "\xef\xbf\xbd");
		else if (bytes > 1)
			text_write(out, string + at, bytes);
		else
			put_special(out, string[at]);
		at += bytes ? bytes : 1;
	}
	text_putc(out, '"');
}
