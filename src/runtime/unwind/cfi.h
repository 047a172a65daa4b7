/* SPDX-License-Identifier: MIT */
/*
 * Call frame information: what .eh_frame says of how a function's caller is
 * found.  Any context; no lock, no memory but the stack's.  Nothing outside of
 * the object's own mapping is read, whatever its tables say.
 */
#ifndef ULF_RUNTIME_CFI_H
#define ULF_RUNTIME_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"

/* A shared object, or the program, in memory. */
struct cfi_object {
	const uint8_t *start, *end;
	const uint8_t *header;		/* .eh_frame_hdr */
};

enum cfi_how {
	CFI_SAME,			/* the register is as it was */
	CFI_UNDEFINED,
	CFI_AT_OFFSET,			/* is at CFA + value */
	CFI_OFFSET,			/* is CFA + value */
	CFI_REGISTER,			/* is in that register */
	CFI_AT_EXPRESSION,		/* is where the expression says */
	CFI_EXPRESSION,			/* is what the expression says */
};

/* How to get at the caller's registers, at one address of a function.  Values
 * that are expressions are offsets from the object's start. */
struct cfi_row {
	int32_t value[ARCH_UNWIND_REGS];
	uint8_t how[ARCH_UNWIND_REGS];
	/* the CFA: a register + offset, or an expression */
	uint8_t cfa_register;
	bool is_cfa_expression;
	int32_t cfa_value;
};

struct cfi_function {
	uint64_t start, end;
	bool is_signal_frame;		/* whose caller was interrupted anywhere */
	struct cfi_row row;		/* at the address that was asked for */
};

/* -ENOENT: the tables do not know it; -EINVAL: they are not understood. */
int cfi_find(const struct cfi_object *object, uint64_t pc,
	     struct cfi_function *ret_function);

/* Reads a word of memory; false: there is none. */
typedef bool (*cfi_read)(void *arg, uint64_t addr, uint64_t *ret_word);

/*
 * cfi_evaluate - run a DWARF expression
 * @at: its offset from the object's start: its length, then its bytes
 * @first: what is on its stack at the beginning; NULL: nothing
 */
int cfi_evaluate(const struct cfi_object *object, int32_t at,
		 const uint64_t regs[ARCH_UNWIND_REGS], const uint64_t *first,
		 cfi_read read, void *arg, uint64_t *ret_value);

#endif
