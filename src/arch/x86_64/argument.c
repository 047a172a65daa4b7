/* SPDX-License-Identifier: MIT */
/* How a function receives its arguments: classify a value, and assign registers to
 * it. */
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"

/* ---- describe a value (struct arch_value) ---- */

struct arch_scalar arch_scalar_integer(uint64_t bytes)
{
	return (struct arch_scalar){ ARCH_SCALAR_INTEGER, bytes, bytes };
}

/*
 * Describe a floating-point number.  A number of 128 bits (__float128) is in a vector
 * register; any other large number is a long double of the x87.
 */
struct arch_scalar arch_scalar_float(const char *name, uint64_t bytes, bool is_complex)
{
	uint64_t real = is_complex ? bytes / 2 : bytes;
	bool is_x87 = real > ARCH_WORD_BYTES && !(name && strstr(name, "128"));

	return (struct arch_scalar){
		is_x87 ? ARCH_SCALAR_X87 : ARCH_SCALAR_VECTOR, bytes, real,
	};
}

void arch_value_add(struct arch_value *value, struct arch_part part,
		    struct arch_scalar scalar)
{
	uint64_t bits = part.bits ? part.bits : 8 * min_u64(scalar.bytes, 2 * ARCH_WORD_BYTES);
	uint64_t end = part.bit + min_u64(bits, 2 * ARCH_WORD_BITS);

	value->has |= (uint8_t)scalar.class;
	if (scalar.class == ARCH_SCALAR_VECTOR && scalar.bytes > 2 * ARCH_WORD_BYTES)
		value->is_in_memory = true;
	if (!part.bits && scalar.align &&
	    part.bit % (8 * min_u64(scalar.align, 2 * ARCH_WORD_BYTES)))
		value->is_in_memory = true;
	for (uint32_t i = 0; scalar.class == ARCH_SCALAR_INTEGER && i < 2; i++)
		if (part.bit < (i + 1) * ARCH_WORD_BITS && end > i * ARCH_WORD_BITS)
			value->is_integer[i] = true;
}

/* ---- find the registers in which a value is passed ---- */

/* Returns the argument register of the first parameter: 1 if register 0 has the address
 * at which the return value is stored in memory, else 0; ARCH_NO_REG if this is unknown.
 * A return value that is only a long double needs no memory, because it is returned in an
 * x87 register. */
uint8_t arch_first_arg_reg(const struct arch_value *returned)
{
	if (returned->has & ARCH_SCALAR_UNKNOWN)
		return ARCH_NO_REG;
	return returned->is_in_memory ||
	       (returned->has & ARCH_SCALAR_X87 && returned->has != ARCH_SCALAR_X87);
}

struct arch_place arch_value_place(const struct arch_value *value, uint8_t *next)
{
	struct arch_place place = { .regs = { ARCH_NO_REG, ARCH_NO_REG } };
	int wanted = value->is_integer[0] + value->is_integer[1];

	if (value->has & ARCH_SCALAR_UNKNOWN)
		*next = ARCH_NO_REG;
	if (*next == ARCH_NO_REG)
		return place;
	place.is_on_stack = value->is_in_memory || value->has & ARCH_SCALAR_X87 ||
			    *next + wanted > (int)ARCH_ARG_REGS;
	for (int i = 0; i < 2 && !place.is_on_stack; i++)
		if (value->is_integer[i])
			place.regs[i] = (*next)++;
	return place;
}
