/* SPDX-License-Identifier: MIT */
/*
 * Everything that a command prints goes through here.  If the stream is a terminal
 * its control characters are escaped (base/escape.h), for names and strings come
 * from the traced program.  Any other stream gets the bytes as they are.
 */
#ifndef ULF_CLI_TERMINAL_H
#define ULF_CLI_TERMINAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

bool terminal_is(FILE *to);

/*
 * terminal_line - print one line; the newline is added
 * terminal_print - the same without a newline: a part of a line
 *
 * On a terminal a newline in the text is escaped as well, so a name cannot begin
 * a line.  errno is kept, and @fmt may contain %m.
 */
void terminal_line(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void terminal_print(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void terminal_vprint(FILE *to, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/*
 * A text of many lines that comes in pieces: its newlines are kept.  A character may
 * be cut by the end of a piece, so a bit of it waits here for the next one.
 */
struct terminal {
	FILE *to;
	bool is_terminal;
	size_t nr_kept;
	char kept[4];
};

void terminal_start(struct terminal *terminal, FILE *to);
void terminal_write(struct terminal *terminal, const void *data, size_t bytes);
/* Print what waits; the stream stays open. */
void terminal_end(struct terminal *terminal);

#endif
