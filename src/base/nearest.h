/* SPDX-License-Identifier: MIT */
/*
 * Find the name that a user most likely meant, for "did you mean" messages.
 *
 *	struct nearest near;
 *
 *	nearest_init(&near, "sched_swich", 11);
 *	for each name
 *		nearest_offer(&near, name);
 *	nearest_name(&near);		"sched_switch"
 *
 * Names may come from a hostile program, and there may be hundreds of thousands of them.  So
 * the work for one word is limited (NEAREST_WORK); names that are offered later are ignored.
 */
#ifndef ULF_BASE_NEAREST_H
#define ULF_BASE_NEAREST_H

#include <stddef.h>
#include <stdint.h>

#define NEAREST_MAX	255u		/* maximum number of bytes of a word or name;
					 * longer words and names are ignored */
#define NEAREST_WORK	(24u << 20)	/* maximum work for one word, in units of
					 * work, which take a few ns each */

struct nearest {
	const char *word;		/* the word to search for, in the caller's
					 * memory */
	size_t len;			/* bytes of @word */
	uint32_t rank;			/* rank of @best; a lower rank is nearer;
					 * UINT32_MAX: there is no name yet */
	uint32_t work_left;		/* units of work that are left; 0: ignore further names */
	uint64_t places[256];		/* for each character, a bitmap of its
					 * positions in @word */
	char best[NEAREST_MAX + 1];	/* nearest name so far */
};

/* Start a search for @word, which has @len bytes and needs no NUL.  The caller must keep
 * @word unchanged as long as it offers names. */
void nearest_init(struct nearest *near, const char *word, size_t len);

/*
 * Remember @name if it is nearer to the word than every earlier name.  The order, from the
 * nearest to the farthest:
 *  - a name that is equal to the word, except for upper and lower case;
 *  - a name that differs by few edits: inserted, deleted or changed characters, and swapped
 *    neighbours.  The limit is 1 edit for a word of 2 to 5 characters, 2 edits for 6 to 11, and
 *    3 edits for 12 to 64; other words allow no edit.  Of two names with the same number of
 *    edits, a name that begins with the word is nearer;
 *  - a name that begins or ends with the word, if the word has 3 characters or more.
 * A name with control characters is never remembered.
 */
void nearest_offer(struct nearest *near, const char *name);

/* Return the nearest name, or NULL if no name was near.  The text is in @near, and valid until
 * the next nearest_offer() or nearest_init(). */
const char *nearest_name(const struct nearest *near);

#endif
