/* SPDX-License-Identifier: MIT */
/*
 * Make text safe for a terminal.  Names and strings of a traced program may contain bytes
 * that control a terminal: such bytes move the cursor, change the title, or make the
 * terminal send an answer as if the user had typed it.  They are written as \n, \r or
 * \x1b instead.
 *
 * Printable ASCII, the tab and valid UTF-8 stay as they are.  Three kinds of valid
 * UTF-8 are escaped, too: C1 controls, characters that change the direction of writing,
 * and characters that end a line.  A backslash is not escaped: the text is for people,
 * and the original bytes cannot be restored from it.
 */
#ifndef BASE_ESCAPE_H
#define BASE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>

struct text;

enum escape_flags {
	ESCAPE_NEWLINES	= 1,		/* escape newlines, too, so that the result is
					 * one line */
	ESCAPE_END	= 2,		/* @data is the last part of the text */
};

/*
 * escape_text - append @data to @out, safe for a terminal
 * @flags: of enum escape_flags
 *
 * Returns how many bytes of @data were used.  Without ESCAPE_END up to 3 bytes may be
 * left over: they are the beginning of a UTF-8 character.  The caller must put them
 * before the bytes of the next call.
 */
size_t escape_text(const char *data, size_t bytes, int flags, struct text *out);

/* Returns the number of bytes of the UTF-8 character at @data, or 0 if no valid character
 * begins there.  @data has @bytes bytes, at least one. */
size_t utf8_length(const char *data, size_t bytes);

#endif
