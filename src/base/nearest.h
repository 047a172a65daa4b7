/* SPDX-License-Identifier: MIT */
/*
 * The name that somebody most likely meant, for "did you mean".
 *
 *	struct nearest near;
 *
 *	nearest_init(&near, "sched_swich", 11);
 *	for each name
 *		nearest_offer(&near, name);
 *	nearest_name(&near);		"sched_switch"
 *
 * Names may come from a hostile program, and there may be hundreds of thousands of them:
 * the work for one word is bounded (NEAREST_WORK), names offered beyond that are ignored.
 */
#ifndef ULF_BASE_NEAREST_H
#define ULF_BASE_NEAREST_H

#include <stddef.h>
#include <stdint.h>

#define NEAREST_MAX	255u		/* bytes of a word or a name; longer are ignored */
#define NEAREST_WORK	(24u << 20)	/* of some ns each */

struct nearest {
	const char *word;		/* the caller's, must stay */
	size_t len;
	uint32_t rank;			/* of best, less is nearer; UINT32_MAX: none yet */
	uint32_t work_left;
	uint64_t places[256];		/* of a character in the word, a bit each */
	char best[NEAREST_MAX + 1];
};

/* @word has @len bytes and needs no NUL. */
void nearest_init(struct nearest *near, const char *word, size_t len);

/*
 * Take @name if it is nearer to the word than every name before.  Near is, in this order:
 * the word in other case; a name that differs by few insertions, deletions, changed
 * characters and swapped neighbours (one for two characters of the word, two for six,
 * three for twelve, none for more than 64), of equally many one that begins with the word
 * first; a name that begins or ends with the word, if
 * that has three characters or more.  A name with control characters is never near.
 */
void nearest_offer(struct nearest *near, const char *name);

/* NULL: no name was near.  Good as long as @near is. */
const char *nearest_name(const struct nearest *near);

#endif
