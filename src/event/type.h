/* SPDX-License-Identifier: MIT */
/*
 * The C types of fields, and of casts in print formats.  Sizes are those of a 64-bit
 * Linux program.
 */
#ifndef EVENT_TYPE_H
#define EVENT_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The type of a value. */
struct value_type {
	uint8_t size;		/* size of a value in bytes; for a pointer (is_ptr) the size
				 * of the value to which it points, or 0 if that is unknown */
	bool is_signed;
	bool is_ptr;
	bool is_bool;		/* true: the type is bool, so a cast to it gives 0 or 1 */
	bool is_float;		/* true: the type is float or double; if is_ptr is true, it is
				 * a pointer to float or double */
};

/* Returns true if the type is float or double, and not a pointer. */
static inline bool type_is_float(struct value_type type)
{
	return type.is_float && !type.is_ptr;
}

/*
 * Find a type by its text, for example "long unsigned int".  The words may be in any order,
 * and qualifiers are ignored.  A '*' makes the type a pointer.
 * Returns false if the type is unknown.
 */
bool type_lookup(const char *text, size_t len, struct value_type *ret_type);

/* Returns true if the word can be part of a type: int, const, struct, u64 ... */
bool type_is_word(const char *word, size_t len);

#endif
