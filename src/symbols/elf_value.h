/* SPDX-License-Identifier: MIT */
/*
 * How the x86-64 ABI passes a value, for types from DWARF.  Only elf*.c include
 * this header.
 */
#ifndef ULF_SERVER_ELF_VALUE_H
#define ULF_SERVER_ELF_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "symbols/elf_args.h"

#define ELF_WORD	8u		/* size of a word of the x86-64 ABI, bytes */
#define ELF_WORD_BITS	64u

enum elf_scalar_class {			/* Classes of scalars.  They are bits, because a
					 * value may have scalars of several classes. */
	ELF_SCALAR_INTEGER	= 1,	/* the scalar is passed in general registers */
	ELF_SCALAR_SSE		= 2,	/* the scalar is passed in vector registers */
	ELF_SCALAR_X87		= 4,	/* long double: the scalar is passed on the
					 * stack */
	ELF_SCALAR_UNKNOWN	= 8,
};

struct elf_scalar {			/* A scalar: a number or a pointer. */
	enum elf_scalar_class class;
	uint64_t bytes;
	uint64_t align;			/* required alignment in bytes; 0: any alignment
					 * is allowed */
};

struct elf_part {			/* A part of a value: a member or an element. */
	uint64_t bit;			/* offset in bits */
	uint64_t bits;			/* width of a bit-field in bits; 0 if the part is
					 * not a bit-field */
};

/* A description of a value.  It starts empty, and elf_value_add() adds the scalars of the
 * value. */
struct elf_value {
	enum elf_param_kind kind;
	uint64_t bytes;
	uint8_t has;			/* classes of the value's scalars: bits of enum
					 * elf_scalar_class */
	bool is_in_memory;		/* true: the value is too large for registers,
					 * or has a member that is not aligned */
	bool is_integer[2];		/* for each word: true if the word is passed in a
					 * general register */
	uint32_t nr_parts;		/* number of members and elements that were
					 * examined */
};

/* Describe an integer or a pointer of @bytes. */
struct elf_scalar elf_scalar_integer(uint64_t bytes);
/*
 * Describe a floating-point number.  @name: name of its type, or NULL.  @bytes: size of the
 * whole value.  A complex number has two parts of half this size.
 */
struct elf_scalar elf_scalar_float(const char *name, uint64_t bytes, bool is_complex);

/*
 * Count one more member or element of @value, at nesting depth @depth.  Returns false,
 * and marks the value as unknown, if the value has too many of them or is nested too
 * deeply.
 */
bool elf_value_may_continue(struct elf_value *value, int depth);
/* Add @scalar at the position @part, which must start in the first two words of
 * @value. */
void elf_value_add(struct elf_value *value, struct elf_part part,
		   struct elf_scalar scalar);

/*
 * Return the argument register of the first parameter of a function that returns
 * @returned.  This is 1 if register 0 has the address for a large return value, else 0.
 * ELF_NO_REG: the register is unknown.
 */
uint8_t elf_value_first_reg(const struct elf_value *returned);
/*
 * Store in @param how the ABI passes @value.  *@next: the first free argument register,
 * which this function advances.  If *@next is ELF_NO_REG, the registers of @value and
 * of all later parameters are unknown.
 */
void elf_value_place(const struct elf_value *value, uint8_t *next,
		     struct elf_param *param);

/* Allocate a list with space for ELF_PARAMS_MAX parameters.  The caller frees it with
 * free(). */
#define ELF_PARAMS_MAX	64u
struct elf_params *elf_params_new(void);
/* Set name, kind and size of @param.  The registers of @param stay unknown. */
void elf_param_init(struct elf_param *param, const char *name,
		    const struct elf_value *value);

#endif
