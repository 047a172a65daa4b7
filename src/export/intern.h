/* SPDX-License-Identifier: MIT */
/* Number strings: each address of a string gets a number.  The numbers start at 1. */
#ifndef ULF_EXPORT_INTERN_H
#define ULF_EXPORT_INTERN_H

#include <stdbool.h>
#include <stdint.h>

/* A table from the addresses of strings to numbers.  An empty table has only zeros. */
struct intern {
	const void **keys;		/* hash table of addresses; nr_slots, a power of two,
					 * is its size */
	uint32_t *ids;
	uint32_t nr_slots, nr;
};

/*
 * Return the number of @key, which must not be NULL.  Sets *@ret_is_new to true if the table
 * did not contain @key.  Returns 0 if there is no memory.
 */
uint32_t intern_id(struct intern *intern, const void *key, bool *ret_is_new);
/* Free the memory of the table. */
void intern_done(struct intern *intern);

#endif
