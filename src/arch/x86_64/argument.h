/* SPDX-License-Identifier: MIT */
/*
 * How a function receives its arguments, as the System V ABI of x86-64 defines it.
 *
 * A value of at most two words is passed in registers, one for each word.  A word that
 * contains an integer takes a general register; other words take vector registers.  The
 * whole value is passed on the stack if there are not enough registers, if a member is
 * not aligned, or if a member is a long double.
 *
 * Example: struct { double d; int i; } takes one vector register and one general
 * register.
 */
#ifndef ULF_ARCH_ARGUMENT_H
#define ULF_ARCH_ARGUMENT_H

#include <stdbool.h>
#include <stdint.h>

#define ARCH_WORD_BYTES	8u		/* size of a general register */
#define ARCH_WORD_BITS	64u
#define ARCH_ARG_REGS	6u		/* number of general registers that may hold
					 * arguments: rdi to r9 */
#define ARCH_NO_REG	0xffu		/* register number that means: the value is in
					 * no argument register, or its register is
					 * unknown */

enum arch_scalar_class {		/* Classes of scalars, each a bit, because a
					 * value may have scalars of several classes. */
	ARCH_SCALAR_INTEGER	= 1,	/* the scalar is passed in general registers */
	ARCH_SCALAR_VECTOR	= 2,	/* the scalar is passed in vector registers */
	ARCH_SCALAR_X87		= 4,	/* long double: the scalar is passed on the
					 * stack */
	ARCH_SCALAR_UNKNOWN	= 8,
};

struct arch_scalar {			/* A scalar: a number or a pointer. */
	enum arch_scalar_class class;
	uint64_t bytes;
	uint64_t align;			/* required alignment in bytes; 0: any alignment
					 * is allowed */
};

struct arch_part {			/* The position of a part in a value.  A part is a
					 * member of a struct, or an element of an array. */
	uint64_t bit;			/* offset in bits */
	uint64_t bits;			/* width of a bit-field in bits; 0 if the part is
					 * not a bit-field */
};

/* The properties of a value that decide how it is passed.  Start with all members 0,
 * and add each scalar of the value with arch_value_add(). */
struct arch_value {
	uint8_t has;			/* classes of the value's scalars: bits of enum
					 * arch_scalar_class */
	bool is_in_memory;		/* true: the value is passed in memory,
					 * because it is too large for registers or
					 * has a member that is not aligned */
	bool is_integer[2];		/* for each word: true if the word is passed in a
					 * general register */
};

/* Where an argument is when the function starts. */
struct arch_place {
	uint8_t is_on_stack;
	uint8_t regs[2];		/* for each word of the argument: number of
					 * its argument register, from 0 (rdi) to 5
					 * (r9), or ARCH_NO_REG */
};

/* Describe an integer or a pointer of @bytes bytes. */
struct arch_scalar arch_scalar_integer(uint64_t bytes);
/*
 * Describe a floating-point number of @bytes bytes.  @name: name of its type, or NULL.  If
 * @is_complex is true, the number has two parts, each of half this size.
 */
struct arch_scalar arch_scalar_float(const char *name, uint64_t bytes, bool is_complex);
/* Add @scalar to @value.  @part: where the scalar is in the value; it must begin in one
 * of the first two words. */
void arch_value_add(struct arch_value *value, struct arch_part part,
		    struct arch_scalar scalar);

/*
 * Returns the argument register of the first parameter of a function that returns
 * @returned: 1 if register 0 has the address for a large return value, else 0.
 * Returns ARCH_NO_REG if the register is unknown.
 */
uint8_t arch_first_arg_reg(const struct arch_value *returned);
/*
 * Returns where @value is passed, and advances *@next, the first argument register
 * that is still free.  If *@next is ARCH_NO_REG, the registers of @value and of all
 * later parameters are unknown.
 */
struct arch_place arch_value_place(const struct arch_value *value, uint8_t *next);

#endif
