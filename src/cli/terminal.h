/* SPDX-License-Identifier: MIT */
/*
 * Print to a stream that may be a terminal.  Commands must use these functions for every text
 * that comes from a traced program, a user or the server.  On a terminal control characters
 * are escaped (base/escape.h).  To any other stream the bytes are written unchanged.
 */
#ifndef ULF_CLI_TERMINAL_H
#define ULF_CLI_TERMINAL_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Return true if @to is a terminal.  Does not change errno. */
bool terminal_is(FILE *to);

/*
 * terminal_line - print one line, and a newline
 * terminal_print - print a part of a line, without a newline
 * terminal_vprint - terminal_print() with a va_list
 *
 * On a terminal newlines in the text are escaped, too, so that a name cannot begin a new line.
 * terminal_print() and terminal_vprint() keep errno.  @fmt may contain %m.
 */
void terminal_line(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void terminal_print(FILE *to, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void terminal_vprint(FILE *to, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/*
 * The state of printing a text of many lines by several calls of terminal_write().  Newlines
 * are not escaped.  The text of one call may end in the middle of a UTF-8 character.  Then
 * the first bytes of the character are stored in @kept until the next call.
 */
struct terminal {
	FILE *to;
	bool is_terminal;		/* @to is a terminal */
	size_t nr_kept;			/* number of bytes in @kept */
	char kept[4];			/* first bytes of a UTF-8 character whose other bytes
					 * have not come yet */
};

/* Begin a text. */
void terminal_start(struct terminal *terminal, FILE *to);
/* Print the next bytes of the text. */
void terminal_write(struct terminal *terminal, const void *data, size_t bytes);
/* End the text: print the bytes in @kept.  The stream is not closed. */
void terminal_end(struct terminal *terminal);

#endif
