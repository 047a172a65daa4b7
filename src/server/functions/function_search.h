/* SPDX-License-Identifier: MIT */
/*
 * Searches for names of C++ as users write them, over all functions of a root.
 *
 * How many functions there are, and how long their names are, a program decides.  So a search
 * that has used up the root's time stops, keeps its place, and goes on in the next call for
 * the same name.  Results are kept as well: a caller that needs several names, and starts
 * anew after -ERESTART, finds those that it has asked for before.
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
 * @nr: only functions of lower numbers count
 * @ret_found: their numbers; valid until the next call
 *
 * Returns how many there are, all of the best enum function_rung; -ERESTART: the search is
 * not done, call again; -ENOMEM.
 */
int function_search(struct root *root, const struct function_match *match, uint32_t nr,
		    const uint32_t **ret_found);
/* Free all searches. */
void function_searches_done(struct functions *functions);

#endif
