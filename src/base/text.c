/* SPDX-License-Identifier: MIT */
/* The functions of struct text that are not inline. */
#include "text.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TEXT_FIRST = 256 };		/* size of the first allocation in bytes */

void text_init(struct text *t, size_t max_bytes)
{
	memset(t, 0, sizeof(*t));
	t->max = max_bytes;
}

void text_done(struct text *t)
{
	free(t->data);
	text_init(t, t->max);
}

bool text_grow(struct text *t, size_t bytes)
{
	size_t need, cap;
	char *data;

	if (t->error)
		return false;
	if (bytes > t->max - t->len) {
		t->error = -E2BIG;
		return false;
	}
	need = t->len + bytes;
	if (need == SIZE_MAX) {
		t->error = -E2BIG;
		return false;
	}
	if (need < t->cap)
		return true;

	cap = t->cap ? t->cap : TEXT_FIRST;
	while (cap <= need)
		cap = cap > SIZE_MAX / 2 ? SIZE_MAX : cap * 2;
	/* Limit `cap` to max + 1.  Then a text that fits into the buffer never exceeds
	 * the limit, and text_reserve() need not compare with `max`. */
	if (cap - 1 > t->max)
		cap = t->max + 1;
	data = realloc(t->data, cap);
	if (!data) {
		t->error = -ENOMEM;
		return false;
	}
	t->data = data;
	t->cap = cap;
	return true;
}

void text_escape_newlines(struct text *t, size_t from)
{
	size_t nr = 0, i, to;

	for (i = from; i < t->len; i++)
		nr += t->data[i] == '\n';
	if (!nr || !text_reserve(t, nr))
		return;
	/* Move the bytes from the last to the first, so that no byte is overwritten before
	 * it is moved. */
	to = t->len + nr;
	for (i = t->len; i > from; i--) {
		bool is_newline = t->data[i - 1] == '\n';

		t->data[--to] = is_newline ? 'n' : t->data[i - 1];
		if (is_newline)
			t->data[--to] = '\\';
	}
	t->len += nr;
}

void text_fill(struct text *t, char c, size_t count)
{
	char *p = count ? text_reserve(t, count) : NULL;

	if (p) {
		memset(p, c, count);
		t->len += count;
	}
}

void text_vprintf(struct text *t, const char *fmt, va_list ap)
{
	va_list again;
	char *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0) {
		if (!t->error)
			t->error = -EINVAL;
		return;
	}
	p = text_reserve(t, n);
	if (p) {
		vsnprintf(p, (size_t)n + 1, fmt, ap);
		t->len += n;
	}
}

void text_printf(struct text *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	text_vprintf(t, fmt, ap);
	va_end(ap);
}

const char *text_str(struct text *t)
{
	if (!t->cap) {
		/* The buffer has no memory, because nothing was written or the
		 * allocation failed. */
		return "";
	}
	t->data[t->len] = '\0';
	return t->data;
}
