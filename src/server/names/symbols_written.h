/* SPDX-License-Identifier: MIT */
/*
 * Find functions by name, among all symbols of a root: by the name in the symbol table
 * (raw), and by the name as it is written in the source (symbols/function_name.h).
 *
 * The program decides how many names there are, and how long they are.  So a search for
 * a written name has a CPU budget.  A search stops when the budget is spent, keeps its
 * position, and continues at the next call for that name.  Results are kept until the
 * objects change.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_SYMBOLS_WRITTEN_H
#define ULF_SERVER_SYMBOLS_WRITTEN_H

#include <stddef.h>
#include <stdint.h>

#include "filter/filter.h"
#include "server/core/budget.h"

struct root;
struct written_search;

/* The searches of a root by name.  A struct of zeroes has no searches. */
struct written_names {
	struct written_search *searches;	/* list of the searches, the most
						 * recently used first */
	struct budget budget;
	uint32_t round;				/* number of calls of
						 * written_names_begin() so far */
	uint32_t nr_round;			/* number of names that were searched for
						 * in this round */
};

/* Free all searches. */
void written_names_done(struct written_names *names);

/* Begin a round: the searches for one text, or for the filters of a root that is loaded.  A round
 * may be repeated until no search returns -ERESTART. */
void written_names_begin(struct written_names *names);
/*
 * written_names_search - search for the functions called @name (@len bytes)
 *
 * Returns 0 if the search is complete, even if it has found nothing; -ERESTART if
 * names are still being demangled or searched, so that the caller must call again
 * later; -E2BIG if this round has too many names; or -ENOMEM.
 */
int written_names_search(struct written_names *names, struct root *root, const char *name,
			 size_t len);
/*
 * written_names_get - search as written_names_search() does, and return the functions
 * that were found
 *
 * While the search has not ended, the function returns the result of the last search
 * for @name.  Returns the number of ranges stored in @ret_ranges.  Returns 0 if no
 * function has the name, or if this is not known yet; -E2BIG if more than
 * FILTER_RANGES_MAX functions have it; or -ENOMEM.
 */
int written_names_get(struct written_names *names, struct root *root, const char *name,
		      size_t len, struct filter_range ret_ranges[FILTER_RANGES_MAX]);

#endif
