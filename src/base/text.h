/* SPDX-License-Identifier: MIT */
/*
 * struct text: a growable, bounded buffer that text is appended to.
 *
 * No call fails in a way that the caller must look at: when memory runs out or
 * the bound is met the buffer keeps what it has, takes nothing more, and
 * remembers the cause in `error` (-ENOMEM or -E2BIG) until text_reset(). So
 * a long row of puts needs one check, at its end.
 *
 * `data` is not terminated; text_str() gives it as a C string.
 */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct text {
	char *data;
	size_t len;
	size_t cap;		/* bytes allocated */
	size_t max;		/* len never grows beyond this */
	int error;		/* sticky: 0 or -errno */
	bool is_for_terminal;	/* text_one_line() works; the owner sets it */
};

/* An empty buffer that may grow to max_bytes; allocates nothing yet. */
void text_init(struct text *t, size_t max_bytes);
void text_done(struct text *t);

/* Slow half of text_reserve(): false, and `error` set, if there is no room. */
bool text_grow(struct text *t, size_t bytes);

/*
 * Room for `bytes` more: where to write them, or NULL. The caller writes at
 * most that many and adds what it wrote to `len`. One spare byte is always
 * kept for text_str().
 */
static inline char *text_reserve(struct text *t, size_t bytes)
{
	if (t->error || t->cap - t->len <= bytes) {
		if (!text_grow(t, bytes))
			return NULL;
	}
	return t->data + t->len;
}

/* Empty it for the next use; the memory is kept, the error forgotten. */
static inline void text_reset(struct text *t)
{
	t->len = 0;
	t->error = 0;
}

/* Shorten to `len` (not more than it has): takes back what was written last. */
static inline void text_truncate(struct text *t, size_t len)
{
	if (len < t->len)
		t->len = len;
}

static inline void text_putc(struct text *t, char c)
{
	char *p = text_reserve(t, 1);

	if (p) {
		*p = c;
		t->len++;
	}
}

static inline void text_write(struct text *t, const void *data, size_t len)
{
	char *p = len ? text_reserve(t, len) : NULL;

	if (p) {
		memcpy(p, data, len);
		t->len += len;
	}
}

static inline void text_puts(struct text *t, const char *s)
{
	text_write(t, s, strlen(s));
}

/*
 * text_one_line - write newlines as \n, a backslash and the letter n
 * @from: all that was written from there on, until now, is treated
 *
 * Does nothing unless @t->is_for_terminal.  A string of a traced program may
 * contain a newline, and a reader of the finished text could not tell it from the
 * end of a line.  So the code that appends such a string calls this after it.
 */
void text_escape_newlines(struct text *t, size_t from);
static inline void text_one_line(struct text *t, size_t from)
{
	if (t->is_for_terminal)
		text_escape_newlines(t, from);
}

/* The same character `count` times. */
void text_fill(struct text *t, char c, size_t count);

void text_printf(struct text *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void text_vprintf(struct text *t, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

/* What was written so far as a C string, valid until the next call. */
const char *text_str(struct text *t);

#endif
