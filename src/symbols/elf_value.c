/* SPDX-License-Identifier: MIT */
/*
 * A value of two words at most is passed in registers, each word by what is in it:
 * an integer makes it a general register.  All of it is on the stack if there is no
 * register for one of them, if a part is not aligned, or is a long double.
 */
#include "symbols/elf_value.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

#define PARTS_MAX	4096u		/* members and elements; and methods of classes */
#define NESTED_MAX	16		/* structs in structs */

/* ---- what is in it ---- */

struct elf_scalar elf_scalar_integer(uint64_t bytes)
{
	return (struct elf_scalar) { ELF_SCALAR_INTEGER, bytes, bytes };
}

/* Of those with more than a word, numbers of 128 bits are in SSE's registers. */
struct elf_scalar elf_scalar_float(const char *name, uint64_t bytes, bool is_complex)
{
	uint64_t real = is_complex ? bytes / 2 : bytes;
	bool is_x87 = real > ELF_WORD && !(name && strstr(name, "128"));

	return (struct elf_scalar) {
		is_x87 ? ELF_SCALAR_X87 : ELF_SCALAR_SSE, bytes, real,
	};
}

bool elf_value_look(struct elf_value *value, int depth)
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

/* ---- where it is ---- */

/* With nothing beside it a long double is returned in a register. */
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

/* ---- parameters ---- */

struct elf_params *elf_params_new(void)
{
	struct elf_params *params;

	return calloc(1, sizeof(*params) + ELF_PARAMS_MAX * sizeof(params->rows[0]));
}

void elf_param_init(struct elf_param *param, const char *name,
		    const struct elf_value *value)
{
	*param = (struct elf_param) {
		.name = name, .kind = (uint8_t)value->kind, .bytes = value->bytes,
		.nr_words = value->bytes > 2 * ELF_WORD ? 0 :
			    value->bytes > ELF_WORD ? 2 : 1,
		.regs = { ELF_NO_REG, ELF_NO_REG },
	};
}
