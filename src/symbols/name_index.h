/* SPDX-License-Identifier: MIT */
/*
 * Find all rows of a table that have a given name.  Several rows may have the same name.
 */
#ifndef ULF_SYMBOLS_NAME_INDEX_H
#define ULF_SYMBOLS_NAME_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct name_index {
	const char *const *names;	/* array of @nr names, owned by the caller; NULL:
					 * the row has no name */
	uint32_t *first;		/* array of mask + 1 numbers, one for each hash: 1 +
					 * the first row with this hash; 0: no row has it */
	uint32_t *next;			/* array of @nr numbers: 1 + the next row with
					 * the same hash; 0: no further row */
	uint32_t mask;			/* mask that turns a hash value into an index in
					 * @first */
};

/*
 * Build an index of @names.  @names must stay valid until name_index_done().  Returns 0
 * or -ENOMEM.
 */
int name_index_init(struct name_index *index, const char *const *names, uint32_t nr);
/* Free the index.  The names are not freed. */
void name_index_done(struct name_index *index);

/*
 * Return the first row after @from whose name is @name, which has @len bytes.  Rows are
 * counted from 1.  @from 0 starts the search.  Rows are found in rising order.  A result of 0
 * means that there is no further row.
 */
uint32_t name_index_find(const struct name_index *index, const char *name,
			 size_t len, uint32_t from);

#endif
