/* SPDX-License-Identifier: MIT */
/*
 * Call frame information: how .eh_frame describes where the caller's registers are.
 *
 * Any thread and any signal handler may call these functions.  They take no lock and
 * allocate no memory.  They read nothing outside of the object's mapping, even if its
 * tables are corrupt.
 */
#ifndef ULF_CFI_CFI_H
#define ULF_CFI_CFI_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "cfi/cfi_bytes.h"

/* A shared object or program, whose bytes are in memory. */
struct cfi_object {
	const uint8_t *start, *end;
	const uint8_t *header;		/* address of .eh_frame_hdr */
	uint64_t bias;			/* number that is added to absolute addresses
					 * in the tables; 0 unless the object is a
					 * file that is not loaded */
};

/* How to compute a register of the caller.  CFA: canonical frame address, usually the stack
 * pointer before the call. */
enum cfi_how {
	CFI_SAME,			/* the callee has not changed the register */
	CFI_UNDEFINED,			/* the register's value is lost */
	CFI_AT_OFFSET,			/* the register was saved at the address CFA +
					 * value: load it */
	CFI_OFFSET,			/* the register's value is CFA + value */
	CFI_REGISTER,			/* the register's value is in the register
					 * with the number `value` */
	CFI_AT_EXPRESSION,		/* the register was saved at the address that
					 * a DWARF expression computes */
	CFI_EXPRESSION,			/* a DWARF expression computes the register's
					 * value */
};

/* How to compute the caller's registers when the pc is at one address of a function.
 * The value of a rule with an expression is the offset of this expression from the
 * object's start. */
struct cfi_row {
	int32_t value[ARCH_UNWIND_REGS];
	uint8_t how[ARCH_UNWIND_REGS];	/* enum cfi_how */
	/* The CFA is @cfa_register + @cfa_value, or an expression at offset @cfa_value. */
	uint8_t cfa_register;
	bool is_cfa_expression;
	int32_t cfa_value;
};

struct cfi_function {
	uint64_t start, end;		/* addresses of the function's code: from
					 * start to before end */
	bool is_signal_frame;		/* true: the caller was interrupted by a signal,
					 * so the caller's pc can be at any instruction */
	bool has_bad_exceptions;	/* true: the address @exceptions could not be
					 * read */
	uint64_t exceptions;		/* address of the function's table of exception
					 * handlers; 0: it has none */
	struct cfi_row row;		/* the rules that apply at the @pc that
					 * cfi_find() was called with */
};

struct cfi_cie {
	struct cfi_bytes program;	/* instructions of the CIE */
	uint64_t code_align;		/* number by which operands of CFA_ADVANCE...
					 * are multiplied */
	int64_t data_align;		/* number by which operands that are offsets are
					 * multiplied */
	uint8_t encoding;		/* encoding of addresses in FDEs that refer to
					 * this CIE: PE_... */
	uint8_t exceptions;		/* encoding of cfi_function.exceptions */
	bool has_data;			/* true: the CIE has augmentation data, because
					 * its augmentation string begins with 'z' */
	bool is_signal_frame;
};

#define CFI_STATES_MAX	4		/* maximum depth of nested CFA_REMEMBER_STATE;
					 * compilers use one level */

/* A walk through the rules of one function.  Callers of cfi_walk_to() read only the
 * member @row. */
struct cfi_walk {
	const struct cfi_object *object;
	struct cfi_cie cie;
	struct cfi_bytes bytes;		/* the instructions that are not executed yet */
	uint64_t at;			/* address in the code from which @row
					 * applies */
	struct cfi_row row, first;	/* @row: the rules at the current address;
					 * @first: the rules after the CIE's
					 * instructions */
	struct cfi_row states[CFI_STATES_MAX];	/* rules that CFA_REMEMBER_STATE has saved */
	unsigned int nr_states;
	bool is_bad;
};

/*
 * Find the function that contains @pc, and the rules that are valid at @pc.
 *
 * Returns 0, -ENOENT (the tables of @object do not describe @pc) or -EINVAL (the tables
 * are corrupt, or use a feature that this code does not support).
 */
int cfi_find(const struct cfi_object *object, uint64_t pc,
	     struct cfi_function *ret_function);

/*
 * cfi_walk_begin - begin a walk through the rules of one function
 * @fde: address of the function's FDE.
 * @ret_function: gets everything but the row.
 *
 * cfi_walk_to - set walk->row to the rules that are valid at @pc
 * @pc: an address of the function, not below the @pc of an earlier call.
 *
 * Both return 0 or -EINVAL; after an error the walk must not be used.
 */
int cfi_walk_begin(const struct cfi_object *object, uint64_t fde, struct cfi_walk *walk,
		   struct cfi_function *ret_function);
int cfi_walk_to(struct cfi_walk *walk, uint64_t pc);

/* Return the address of .eh_frame, as .eh_frame_hdr has it; 0 if the header is corrupt. */
uint64_t cfi_first(const struct cfi_object *object);
/* Find the first FDE at or after *@at, the address of a CIE or an FDE.  Set *@at to the
 * entry after this FDE.  Returns false at the end of .eh_frame, or if it is corrupt. */
bool cfi_next(const struct cfi_object *object, uint64_t *at, uint64_t *ret_fde);

/* How numbers in unwind tables are encoded (DW_EH_PE_...): the bits of the format. */
#define CFI_FORMAT	0x0f
#define CFI_OMITTED	0xff	/* there is no number */
/* Read a number whose format is @format.  Sets bytes->is_bad if there is no such format. */
uint64_t cfi_number(struct cfi_bytes *bytes, uint8_t format);

/* Callback that reads the word at @addr.  Returns false if the word cannot be read.
 * @arg: the argument @arg of cfi_evaluate(). */
typedef bool (*cfi_read)(void *arg, uint64_t addr, uint64_t *ret_word);

/*
 * cfi_evaluate - run a DWARF expression.
 * @at: offset of the expression from the object's start: first its length, as ULEB128, then its
 * bytes
 * @regs: registers of the frame
 * @first: value that is pushed before the expression runs; NULL: push no value
 * @read: called for each load, with @arg
 *
 * Returns 0, or -EINVAL: the expression is corrupt, runs too long, or a load failed.
 */
int cfi_evaluate(const struct cfi_object *object, int32_t at,
		 const uint64_t regs[ARCH_UNWIND_REGS], const uint64_t *first,
		 cfi_read read, void *arg, uint64_t *ret_value);

#endif
