/* SPDX-License-Identifier: MIT */
/*
 * The C types that fields have and that print formats cast to. Sizes are
 * those of a 64-bit Linux program.
 */
#ifndef EVENT_TYPE_H
#define EVENT_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct value_type {
	uint8_t size;		/* of the number; if is_ptr of the element, 0: unknown */
	bool is_signed;
	bool is_ptr;
	bool is_bool;		/* a cast to it gives 0 or 1 */
	bool is_float;		/* float or double; if is_ptr the element */
};

static inline bool type_is_float(struct value_type type)
{
	return type.is_float && !type.is_ptr;
}

/*
 * A type by its text, in any spelling of the words ("long unsigned int").
 * Qualifiers are passed over; a '*' makes it a pointer. False if unknown.
 */
bool type_lookup(const char *text, size_t len, struct value_type *ret_type);

/* Is the word one that types are made of: int, const, struct, u64 ...? */
bool type_is_word(const char *word, size_t len);

#endif
