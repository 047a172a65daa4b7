/* SPDX-License-Identifier: MIT */
/*
 * How the x86-64 ABI passes a value.
 *
 * A value of at most two words is passed in registers, one for each word.  A word that
 * contains an integer takes a general register; other words take vector registers.  The
 * whole value is on the stack if there are not enough registers, if a member is not
 * aligned, or if a member is a long double.
 *
 * Example: struct { double d; int i; } takes one vector register and one general
 * register.
 */
#include "symbols/elf_value.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define PARTS_MAX	4096u		/* maximum number of members and elements of a
					 * type; methods of classes count, too */
#define NESTED_MAX	16		/* maximum depth of structs in structs */

/* ---- describe a value (struct elf_value) ---- */

struct elf_scalar elf_scalar_integer(uint64_t bytes)
{
	return (struct elf_scalar){ ELF_SCALAR_INTEGER, bytes, bytes };
}

/*
 * Describe a floating-point number.  A number of 128 bits (__float128) is in a vector
 * register; any other large number is a long double of the x87.
 */
struct elf_scalar elf_scalar_float(const char *name, uint64_t bytes, bool is_complex)
{
	uint64_t real = is_complex ? bytes / 2 : bytes;
	bool is_x87 = real > ELF_WORD && !(name && strstr(name, "128"));

	return (struct elf_scalar){
		is_x87 ? ELF_SCALAR_X87 : ELF_SCALAR_SSE, bytes, real,
	};
}

bool elf_value_may_continue(struct elf_value *value, int depth)
{
	if (depth <= NESTED_MAX && value->nr_parts++ < PARTS_MAX)
		return true;
	value->has |= ELF_SCALAR_UNKNOWN;
	return false;
}

void elf_value_add(struct elf_value *value, struct elf_part part,
		   struct elf_scalar scalar)
{
	uint64_t bits = part.bits ? part.bits : 8 * min_u64(scalar.bytes, 2 * ELF_WORD);
	uint64_t end = part.bit + min_u64(bits, 2 * ELF_WORD_BITS);

	value->has |= (uint8_t)scalar.class;
	if (scalar.class == ELF_SCALAR_SSE && scalar.bytes > 2 * ELF_WORD)
		value->is_in_memory = true;
	if (!part.bits && scalar.align &&
	    part.bit % (8 * min_u64(scalar.align, 2 * ELF_WORD)))
		value->is_in_memory = true;
	for (uint32_t i = 0; scalar.class == ELF_SCALAR_INTEGER && i < 2; i++)
		if (part.bit < (i + 1) * ELF_WORD_BITS && end > i * ELF_WORD_BITS)
			value->is_integer[i] = true;
}

/* ---- find the registers in which a value is passed ---- */

/* Return the register of the first parameter.  A return value that is only a long
 * double needs no memory, because it is returned in an x87 register. */
uint8_t elf_value_first_reg(const struct elf_value *returned)
{
	if (returned->has & ELF_SCALAR_UNKNOWN)
		return ELF_NO_REG;
	return returned->is_in_memory ||
	       (returned->has & ELF_SCALAR_X87 && returned->has != ELF_SCALAR_X87);
}

void elf_value_place(const struct elf_value *value, uint8_t *next,
		     struct elf_param *param)
{
	int wanted = value->is_integer[0] + value->is_integer[1];

	if (value->has & ELF_SCALAR_UNKNOWN)
		*next = ELF_NO_REG;
	if (*next == ELF_NO_REG)
		return;
	param->is_on_stack = value->is_in_memory || value->has & ELF_SCALAR_X87 ||
			     *next + wanted > (int)ELF_ARG_REGS;
	for (int i = 0; i < 2 && !param->is_on_stack; i++)
		if (value->is_integer[i])
			param->regs[i] = (*next)++;
}

/* ---- fill the list of parameters (struct elf_params) ---- */

struct elf_params *elf_params_new(void)
{
	struct elf_params *params;

	return calloc(1, sizeof(*params) + ELF_PARAMS_MAX * sizeof(params->rows[0]));
}

void elf_param_init(struct elf_param *param, const char *name,
		    const struct elf_value *value)
{
	*param = (struct elf_param){
		.name = name, .kind = (uint8_t)value->kind, .bytes = value->bytes,
		.nr_words = value->bytes > 2 * ELF_WORD ? 0 :
			    value->bytes > ELF_WORD ? 2 : 1,
		.regs = { ELF_NO_REG, ELF_NO_REG },
	};
}
