/* SPDX-License-Identifier: MIT */
/*
 * Search for C++ names as users write them, over all functions of a root.
 *
 * The program decides how many functions there are, and how long their names are.  So
 * the searches of each root have a CPU budget.  A search that has spent the budget
 * stops, keeps its position, and continues when it is called again for the same name.
 * Results are kept as well.  So a caller that needs several names can start again with
 * the first name after -ERESTART: it gets the results that are complete at once.
 */
#ifndef ULF_SERVER_FUNCTION_SEARCH_H
#define ULF_SERVER_FUNCTION_SEARCH_H

#include <stdint.h>

struct function_match;
struct functions;
struct root;

/*
 * function_search - find the functions that a written name means
 * @match: the name, and its module
 * @nr: only functions with numbers below @nr are found
 * @ret_found: numbers of the functions; valid until the next call
 *
 * Returns the number of functions found, all of the best enum function_rung; -ERESTART if
 * the search has not ended, so that the caller must call again later; or -ENOMEM.
 */
int function_search(struct root *root, const struct function_match *match, uint32_t nr,
		    const uint32_t **ret_found);
/* Free all searches. */
void function_searches_done(struct functions *functions);

#endif
