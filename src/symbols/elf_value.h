/* SPDX-License-Identifier: MIT */
/*
 * Describe values whose types DWARF gives, and make the list of the parameters of a
 * function.  src/arch decides how a value is passed.  Only the files elf*.c include this
 * header.
 */
#ifndef ULF_SYMBOLS_ELF_VALUE_H
#define ULF_SYMBOLS_ELF_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "symbols/elf_args.h"

/* A description of a value.  @passed starts with all members 0; arch_value_add() adds
 * each scalar of the value to it. */
struct elf_value {
	enum elf_param_kind kind;
	uint64_t bytes;
	struct arch_value passed;	/* how the value is passed to a function */
	uint32_t nr_parts;		/* number of members and elements of the value that
					 * were examined */
};

/*
 * Count one more member or element of @value, at nesting depth @depth.  Returns false, and
 * marks the value as unknown, if the value has too many members or is nested too deeply.
 */
bool elf_value_may_continue(struct elf_value *value, int depth);
#define ELF_PARAMS_MAX	64u
/* Allocate a list with space for ELF_PARAMS_MAX parameters.  The caller frees it with
 * free(). */
struct elf_params *elf_params_new(void);
/* Set name, kind and size of @param.  The registers of @param stay unknown. */
void elf_param_init(struct elf_param *param, const char *name,
		    const struct elf_value *value);

#endif
