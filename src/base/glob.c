/* SPDX-License-Identifier: MIT */
/*
 * Match globs without recursion.  After a mismatch, only the last * of the pattern so
 * far is tried again: it then matches one character more.  Trying an earlier * again
 * could not help.
 */
#include "base/glob.h"

#include <string.h>

/*
 * Match @c with a class [...] of a glob.  @p points to the character after the '['.
 * Returns the address after the ']'.  If there is no ']', returns NULL, and the '['
 * is an ordinary character.
 */
static const char *match_class(const char *p, const char *end, char c,
			       bool *ret_match)
{
	bool negate = p < end && *p == '!';
	bool match = false;
	const char *first;

	if (negate)
		p++;
	for (first = p; p < end && (*p != ']' || p == first); p++) {
		if (p + 2 < end && p[1] == '-' && p[2] != ']') {
			match |= (unsigned char)c >= (unsigned char)p[0] &&
				 (unsigned char)c <= (unsigned char)p[2];
			p += 2;
		} else {
			match |= *p == c;
		}
	}
	if (p >= end)
		return NULL;
	*ret_match = match != negate;
	return p + 1;
}

/* Match the character @c with the pattern's element at *@p, and move *@p to the next
 * element.  An element is a character, an escape, ? or a class. */
static bool match_one_char(const char **p, const char *end, char c)
{
	const char *next;
	bool match;

	switch (**p) {
	case '?':
		(*p)++;
		return true;
	case '[':
		next = match_class(*p + 1, end, c, &match);
		if (next) {
			*p = next;
			return match;
		}
		break;
	case '\\':
		if (*p + 1 < end)
			(*p)++;
		break;
	}
	return *(*p)++ == c;
}

/*
 * @star points to the part of the pattern after its last *.  @retry points to the
 * place in the text where this part was tried last.  Example: *ab on "aab".  The
 * first try finds that b does not match the second a.  So the * matches one
 * character more, and ab is tried on "ab".
 */
bool glob_match_text(const char *pattern, size_t len, const char *text,
		     size_t text_len)
{
	const char *p = pattern, *end = pattern + len;
	const char *text_end = text + text_len;
	const char *star = NULL, *retry = NULL;

	while (text < text_end) {
		if (p < end && *p == '*') {
			star = ++p;
			retry = text;
			if (p == end)
				return true;
		} else if (p < end && match_one_char(&p, end, *text)) {
			text++;
		} else if (star) {
			p = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}

bool glob_match_n(const char *pattern, size_t len, const char *text)
{
	return glob_match_text(pattern, len, text, strlen(text));
}
