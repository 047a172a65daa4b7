/* SPDX-License-Identifier: MIT */
/* Describe values whose types DWARF gives, and make the list of the parameters of a function. */
#include "symbols/elf_value.h"

#include <stdlib.h>

#include "arch/arch.h"

#define PARTS_MAX	4096u		/* maximum number of members and elements of a type
					 * that are examined; methods of classes count, too */
#define NESTED_MAX	16		/* maximum depth of structs inside of structs */

bool elf_value_may_continue(struct elf_value *value, int depth)
{
	if (depth <= NESTED_MAX && value->nr_parts++ < PARTS_MAX)
		return true;
	value->passed.has |= ARCH_SCALAR_UNKNOWN;
	return false;
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
		.nr_words = value->bytes > 2 * ARCH_WORD_BYTES ? 0 :
			    value->bytes > ARCH_WORD_BYTES ? 2 : 1,
		.regs = { ARCH_NO_REG, ARCH_NO_REG },
	};
}
