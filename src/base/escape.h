/* SPDX-License-Identifier: MIT */
/*
 * Text for a terminal.  Names and strings of a traced program may contain bytes
 * that a terminal obeys: they move the cursor, change the title, or make the
 * terminal type an answer.  Such bytes are written as \n, \r or \x1b.
 *
 * What passes: printable ASCII, the tab, and valid UTF-8, but for C1 controls and
 * the characters that change the direction of writing or end a line.  A backslash
 * passes as it is: the text is for people, it cannot be turned back into bytes.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

struct text;

enum escape_flags {
	ESCAPE_NEWLINES	= 1,		/* newlines, too: the text is one line */
	ESCAPE_END	= 2,		/* no more bytes follow @data */
};

/*
 * escape_text - append @data to @out, safe for a terminal
 * Returns how many bytes were used.  Without ESCAPE_END up to 3 bytes may be left,
 * the beginning of a UTF-8 character: the caller puts them before the next bytes.
 */
size_t escape_text(const char *data, size_t bytes, int flags, struct text *out);

#endif
