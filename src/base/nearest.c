/* SPDX-License-Identifier: MIT */
/* Find the name that is most similar to a given word; see nearest.h. */
#include "base/nearest.h"

#include <stdbool.h>
#include <string.h>

#include "base/bits.h"

#define EDITED_MAX	64u		/* words that are longer than this number of
					 * characters are not compared by edits */
#define AFFIX_MIN	3u		/* minimum length of a word for which names
					 * that begin or end with the word are found,
					 * in characters */
#define RANK_AFFIX	16u		/* number that is added to the rank of a
					 * name that begins or ends with the word,
					 * so that every name that is found by
					 * edits is nearer */
#define OFFER_WORK	8u		/* fixed cost of comparing one name, in units
					 * of work; the name's characters cost more */
#define EDIT_WORK	3u		/* cost of counting edits, in units of work, for
					 * each character of a name */

static unsigned char lower_char(char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 'a' - 'A') : (unsigned char)c;
}

void nearest_init(struct nearest *near, const char *word, size_t len)
{
	*near = (struct nearest){
		.word = word, .len = len, .rank = UINT32_MAX,
		.work_left = len && len <= NEAREST_MAX ? NEAREST_WORK : 0,
	};
	for (size_t i = 0; i < len && i < EDITED_MAX; i++)
		near->places[lower_char(word[i])] |= 1ull << i;
}

static bool is_same_text(const char *a, const char *b, size_t len)
{
	size_t i = 0;

	while (i < len && lower_char(a[i]) == lower_char(b[i]))
		i++;
	return i == len;
}

/* Returns by how many edits a name may differ from a word of @len characters. */
static uint32_t edits_allowed(size_t len)
{
	return len < 2 ? 0 : len < 6 ? 1 : len < 12 ? 2 : len <= EDITED_MAX ? 3 : 0;
}

/*
 * Count the edits between near->word and @name: the optimal string alignment distance,
 * computed with bit vectors (Hyyro 2003).  The matrix of this method has one row for each
 * character of near->word and one column for each character of @name.  The loop computes
 * one column at a time; bit i of each variable is row i.  @plus: the cell is larger by 1
 * than the cell above it.  @minus: the cell is smaller by 1.  @same: the cell is equal to
 * its neighbour at the upper left.
 */
static uint32_t count_edits(const struct nearest *near, const char *name, size_t len)
{
	const uint64_t last = 1ull << (near->len - 1);
	uint64_t plus = UINT64_MAX, minus = 0, same = 0, found_before = 0;
	uint32_t edits = (uint32_t)near->len;

	for (size_t i = 0; i < len; i++) {
		uint64_t found = near->places[lower_char(name[i])];
		uint64_t swap = (~same & found) << 1 & found_before;
		uint64_t right_plus, right_minus;

		same = swap | (((found & plus) + plus) ^ plus) | found | minus;
		right_plus = minus | ~(same | plus);
		right_minus = same & plus;
		edits += (right_plus & last) != 0;
		edits -= (right_minus & last) != 0;
		right_plus = right_plus << 1 | 1;
		right_minus <<= 1;
		plus = right_minus | ~(same | right_plus);
		minus = right_plus & same;
		found_before = found;
	}
	return edits;
}

/* Return true if @name is longer than near->word, and begins or ends with
 * near->word. */
static bool is_word_affix_of(const struct nearest *near, const char *name, size_t len)
{
	return near->len >= AFFIX_MIN && len > near->len &&
	       (is_same_text(near->word, name, near->len) ||
		is_same_text(near->word, name + len - near->len, near->len));
}

/* Return true if @name has no control characters. */
static bool is_printable_name(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)name[i] < ' ' || name[i] == '\x7f')
			return false;
	return true;
}

void nearest_offer(struct nearest *near, const char *name)
{
	uint32_t most = edits_allowed(near->len), rank = UINT32_MAX;
	size_t len, apart;

	if (!near->work_left)
		return;
	len = strnlen(name, NEAREST_MAX + 1);
	near->work_left -= min_u32(near->work_left, OFFER_WORK + (uint32_t)len);
	if (!len || len > NEAREST_MAX)
		return;
	apart = len > near->len ? len - near->len : near->len - len;
	if (!apart && is_same_text(near->word, name, len)) {
		rank = 0;
	} else if (most && apart <= most) {
		rank = 2 * count_edits(near, name, len);
		if (rank && len > near->len && is_same_text(near->word, name, near->len))
			rank--;		/* prefer names that begin with the
					 * word; example: for the word traceof,
					 * traceoff must be nearer than traceon */
		near->work_left -= min_u32(near->work_left, EDIT_WORK * (uint32_t)len);
	}
	if (rank > 2 * most)
		rank = is_word_affix_of(near, name, len) ? RANK_AFFIX + (uint32_t)apart :
						   UINT32_MAX;
	if (rank >= near->rank || !is_printable_name(name, len))
		return;
	near->rank = rank;
	memcpy(near->best, name, len + 1);
}

const char *nearest_name(const struct nearest *near)
{
	return near->rank == UINT32_MAX ? NULL : near->best;
}
