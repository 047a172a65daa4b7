/* SPDX-License-Identifier: MIT */
/* How x86-64's ABI passes a value, whatever describes its type; for the elf*.c alone. */
#ifndef ULF_SERVER_ELF_VALUE_H
#define ULF_SERVER_ELF_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf_args.h"

#define ELF_WORD	8u		/* bytes */
#define ELF_WORD_BITS	64u

enum elf_scalar_class {			/* bits */
	ELF_SCALAR_INTEGER	= 1,	/* in general registers */
	ELF_SCALAR_SSE		= 2,
	ELF_SCALAR_X87		= 4,	/* long double: passed on the stack */
	ELF_SCALAR_UNKNOWN	= 8,
};

struct elf_scalar {			/* a number, a pointer */
	enum elf_scalar_class class;
	uint64_t bytes;
	uint64_t align;			/* 0: any */
};

struct elf_part {			/* of a value */
	uint64_t bit;			/* where it starts */
	uint64_t bits;			/* of a bit-field; 0: it is none */
};

/* Starts with nothing in it; that is added. */
struct elf_value {
	enum elf_param_kind kind;
	uint64_t bytes;
	uint8_t has;			/* of enum elf_scalar_class */
	bool is_in_memory;		/* too large, or with a part that is not aligned */
	bool is_integer[2];		/* of each word */
	uint32_t nr_parts;		/* looked at */
};

struct elf_scalar elf_scalar_integer(uint64_t bytes);
/* A complex one has twice the @bytes of its parts. */
struct elf_scalar elf_scalar_float(const char *name, uint64_t bytes, bool is_complex);

/* May another part be looked at?  If not, it is not known how the value is passed. */
bool elf_value_look(struct elf_value *value, int depth);
/* @part is in the first two words. */
void elf_value_add(struct elf_value *value, struct elf_part part,
		   struct elf_scalar scalar);

/* Of what a function returns: the register that its first parameter may have, or
 * ELF_NO_REG. */
uint8_t elf_value_first_reg(const struct elf_value *returned);
/* Fill in where the parameter is.  *@next: the first register that is free;
 * ELF_NO_REG: nobody knows. */
void elf_value_place(const struct elf_value *value, uint8_t *next,
		     struct elf_param *param);

/* With room for ELF_PARAMS_MAX; to be freed. */
#define ELF_PARAMS_MAX	64u
struct elf_params *elf_params_new(void);
/* Fill in all but where it is. */
void elf_param_init(struct elf_param *param, const char *name,
		    const struct elf_value *value);

#endif
