/* SPDX-License-Identifier: MIT */
/*
 * struct text: a buffer that grows, up to a limit, while text is appended to it.
 *
 * The caller need not check each call.  If there is no memory, or the text would exceed
 * the limit, the buffer stores -ENOMEM or -E2BIG in `error`.  From then on, until
 * text_reset(), the buffer keeps its contents and ignores further text.  So a long
 * series of calls needs one check, at its end.
 *
 * `data` has no NUL at its end; text_str() returns it as a C string.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct text {
	char *data;
	size_t len;		/* number of bytes of text */
	size_t cap;		/* number of bytes allocated */
	size_t max;		/* limit: the largest value of len */
	int error;		/* 0 or -errno; stays until text_reset() */
	bool is_for_terminal;	/* true: text_one_line() replaces newlines; the owner
				 * of the buffer sets this member */
};

/* Initialise an empty buffer that may grow to @max_bytes.  Allocates nothing yet. */
void text_init(struct text *t, size_t max_bytes);
/* Free the memory.  Afterwards the buffer is empty, and can be used again. */
void text_done(struct text *t);

/* The slow path of text_reserve(): allocate space.  Returns false, and sets `error`, if
 * there is no space for @bytes more bytes. */
bool text_grow(struct text *t, size_t bytes);

/*
 * Reserve space for @bytes more bytes.  Returns the address to write to, or NULL with
 * `error` set. The caller may write up to @bytes bytes there, and must add the number of
 * bytes that it wrote to `len`.  One more byte is always kept for the NUL of text_str().
 */
static inline char *text_reserve(struct text *t, size_t bytes)
{
	if (t->error || t->cap - t->len <= bytes) {
		if (!text_grow(t, bytes))
			return NULL;
	}
	return t->data + t->len;
}

/* Remove all text and clear `error`.  The buffer keeps its memory for the next use. */
static inline void text_reset(struct text *t)
{
	t->len = 0;
	t->error = 0;
}

/* Remove the text after the first @len bytes. */
static inline void text_truncate(struct text *t, size_t len)
{
	if (len < t->len)
		t->len = len;
}

/* Append a character. */
static inline void text_putc(struct text *t, char c)
{
	char *p = text_reserve(t, 1);

	if (p) {
		*p = c;
		t->len++;
	}
}

/* Append @len bytes of @data, which may contain NULs. */
static inline void text_write(struct text *t, const void *data, size_t len)
{
	char *p = len ? text_reserve(t, len) : NULL;

	if (p) {
		memcpy(p, data, len);
		t->len += len;
	}
}

/* Append a string, without its NUL. */
static inline void text_puts(struct text *t, const char *s)
{
	text_write(t, s, strlen(s));
}

/*
 * text_one_line - replace newlines by a backslash and the letter n
 * @from: replace from this offset on, up to the end of the text
 *
 * Does nothing unless @t->is_for_terminal.  A string of a traced program may contain a newline,
 * and a reader of the finished text could not distinguish it from the end of a line.  So the
 * code that appends such a string must call text_one_line() after it.
 *
 * text_escape_newlines() replaces the newlines even if is_for_terminal is false.
 */
void text_escape_newlines(struct text *t, size_t from);
static inline void text_one_line(struct text *t, size_t from)
{
	if (t->is_for_terminal)
		text_escape_newlines(t, from);
}

/* Append the character @c @count times. */
void text_fill(struct text *t, char c, size_t count);

/* Append formatted text, as printf(3).  An invalid format sets `error` to -EINVAL. */
void text_printf(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* Returns the text as a C string, which is valid until the next call for @t.  The result
 * is never NULL. */
const char *text_str(struct text *t);

#endif
