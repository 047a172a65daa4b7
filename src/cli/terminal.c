/* SPDX-License-Identifier: MIT */
/* Print to a stream that may be a terminal; see terminal.h. */
#include "cli/terminal.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/text.h"

#define TEXT_BYTES	SIZE_MAX	/* the texts need no limit, because callers limit
					 * their size */

bool terminal_is(FILE *to)
{
	int saved = errno, fd = fileno(to);
	bool is_terminal = fd >= 0 && isatty(fd);

	errno = saved;
	return is_terminal;
}

/* Print @data, with control characters escaped.  Returns how many bytes of @data were used,
 * as escape_text() does. */
static size_t write_escaped(FILE *to, const char *data, size_t bytes, int flags)
{
	struct text text;
	size_t used;

	text_init(&text, TEXT_BYTES);
	used = escape_text(data, bytes, flags, &text);
	fwrite(text_str(&text), 1, text.len, to);
	text_done(&text);
	return used;
}

void terminal_vprint(FILE *to, const char *fmt, va_list ap)
{
	int saved = errno;
	struct text text;

	text_init(&text, TEXT_BYTES);
	text_vprintf(&text, fmt, ap);
	if (terminal_is(to))
		write_escaped(to, text.data, text.len, ESCAPE_NEWLINES | ESCAPE_END);
	else
		fwrite(text_str(&text), 1, text.len, to);
	text_done(&text);
	errno = saved;
}

void terminal_print(FILE *to, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	terminal_vprint(to, fmt, ap);
	va_end(ap);
}

void terminal_line(FILE *to, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	terminal_vprint(to, fmt, ap);
	va_end(ap);
	putc('\n', to);
}

void terminal_start(struct terminal *terminal, FILE *to)
{
	*terminal = (struct terminal){ .to = to, .is_terminal = terminal_is(to) };
}

/* Complete the UTF-8 character in terminal->kept with bytes of @data, and print the
 * character.  Returns how many bytes of @data were used. */
static size_t complete_character(struct terminal *terminal, const char *data, size_t bytes)
{
	size_t taken = 0, used = 0;

	while (terminal->nr_kept && !used && taken < bytes) {
		terminal->kept[terminal->nr_kept++] = data[taken++];
		used = write_escaped(terminal->to, terminal->kept, terminal->nr_kept, 0);
	}
	if (used) {
		terminal->nr_kept -= used;
		memmove(terminal->kept, terminal->kept + used, terminal->nr_kept);
	}
	return taken;
}

void terminal_write(struct terminal *terminal, const void *data, size_t bytes)
{
	const char *at = data;
	size_t taken;

	if (!terminal->is_terminal) {
		fwrite(data, 1, bytes, terminal->to);
		return;
	}
	while (terminal->nr_kept && bytes) {
		taken = complete_character(terminal, at, bytes);
		at += taken;
		bytes -= taken;
	}
	taken = write_escaped(terminal->to, at, bytes, 0);
	memcpy(terminal->kept + terminal->nr_kept, at + taken, bytes - taken);
	terminal->nr_kept += bytes - taken;
}

void terminal_end(struct terminal *terminal)
{
	write_escaped(terminal->to, terminal->kept, terminal->nr_kept, ESCAPE_END);
	terminal->nr_kept = 0;
}
