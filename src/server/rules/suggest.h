/* SPDX-License-Identifier: MIT */
/*
 * Suggestions for error_log: names of a root that are similar to a wrong name.  The search
 * has a CPU budget for each root.  When the budget is spent, the search stops, and the best
 * name that was found so far is used.
 */
#ifndef ULF_SERVER_SUGGEST_H
#define ULF_SERVER_SUGGEST_H

#include <stddef.h>
#include <stdint.h>

#include "base/nearest.h"
#include "server/core/budget.h"
#include "server/core/root.h"
#include "server/part_numbers.h"

/* The budget of a root for the search for similar names.  This is the state of
 * ROOT_PART_SUGGEST. */
struct root_suggest {
	struct budget budget;		/* CPU time that searches for similar names may
					 * use */
};

/* Return the state of ROOT_PART_SUGGEST of @root. */
static inline struct root_suggest *root_suggest(const struct root *root)
{
	return root->part_state[ROOT_PART_SUGGEST];
}

#define SUGGEST_WORD_MAX	1024u	/* maximum number of bytes of a wrong name that
					 * are compared with other names */

/*
 * Return the name of an event or system that is similar to @word, a wrong name that
 * means SYSTEM:EVENT, EVENT or SYSTEM.  The text of the result is stored in @near,
 * which the caller provides.  Returns NULL if no name is similar.
 */
const char *suggest_event(struct root *root, const char *word, struct nearest *near);
/*
 * Report in error_log that SYSTEM:EVENT, EVENT or SYSTEM in the @len bytes at @at does
 * not exist.  @at points into @command, the text that was written.  The caret is under
 * EVENT if the system exists, else under SYSTEM.  @place: see error_log_add().
 */
void suggest_log_event(struct instance *instance, const char *place,
		       const char *command, const char *at, size_t len);
/*
 * Compare the names that @name_of returns for i = 0 ... @nr - 1 with the wrong name
 * in @near (nearest_init()).  @name_of returns NULL if there is no name with number
 * @i.  Stops when the root's budget is spent.
 */
void suggest_offer_all(struct root *root, struct nearest *near, uint32_t nr,
		       const char *(*name_of)(const struct root *root, uint32_t i));
/*
 * Return the name of a function that is similar to the first @len bytes of @word.
 * Searches all functions, also those that cannot be traced;
 * functions/function_suggest.h searches only functions that can be traced.  The text
 * of the result is stored in @near.  Returns NULL if no name is similar.
 */
const char *suggest_symbol(struct root *root, const char *word, size_t len,
			   struct nearest *near);

#endif
