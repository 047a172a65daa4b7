/* SPDX-License-Identifier: MIT */
/* Number strings: each address of a string gets a number, from 1 on. */
#ifndef ULF_EXPORT_INTERN_H
#define ULF_EXPORT_INTERN_H

#include <stdbool.h>
#include <stdint.h>

/* An empty table: all members are 0. */
struct intern {
	const void **keys;		/* hash of nr_slots addresses, a power of two */
	uint32_t *ids;
	uint32_t nr_slots, nr;
};

/*
 * Return the number of @key, which must not be NULL.  Sets *@ret_is_new if it is a new one.
 * Returns 0 if there is no memory.
 */
uint32_t intern_id(struct intern *intern, const void *key, bool *ret_is_new);
/* Free the memory of the table. */
void intern_done(struct intern *intern);

#endif
