/* SPDX-License-Identifier: MIT */
/* Decode instructions, as far as moving them needs it, and move them.  The functions keep no state
 * but the decoder's tables, allocate nothing, and accept any bytes.  Only the server links them. */
#ifndef ULF_ARCH_INSN_H
#define ULF_ARCH_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/moved.h"

#define INSN_BYTES_MAX	15u

/* Where a thread continues after an instruction. */
enum insn_flow {
	INSN_NEXT,		/* at the next instruction */
	INSN_CALL,		/* in a function, which returns to the next instruction */
	INSN_BRANCH,		/* at the next instruction or at `target` */
	INSN_JUMP,		/* at `target`, or at an address that it computes */
	INSN_END,		/* nowhere in this function: a return, or a trap */
};

/* How an instruction is moved. */
enum insn_move {
	INSN_PLAIN,		/* its bytes are copied; `field` is changed if has_address */
	INSN_MOVE_BRANCH,	/* it becomes a branch with a 32-bit distance */
	INSN_MOVE_JUMP,		/* it becomes a jump with a 32-bit distance */
	INSN_MOVE_CALL,		/* the return address is pushed, then a jump follows */
	INSN_MOVE_CALL_INDIRECT,
	INSN_FIXED,		/* it cannot be moved: `reason` */
};

struct insn {
	uint64_t target;		/* has_target: vaddr to which it jumps */
	uint64_t address;		/* has_address: vaddr of the memory that it uses
					 * relative to its own address */
	uint64_t immediate;		/* has_immediate: value of its operand */
	int64_t stack_offset;		/* stack_register: distance from the register to the
					 * memory that it reads or writes */
	uint8_t bytes;
	uint8_t flow;			/* enum insn_flow */
	uint8_t move;			/* enum insn_move */
	uint8_t reason;			/* enum moved_reason, if INSN_FIXED */
	uint8_t stack_register;		/* ARCH_UNWIND_SP or ARCH_UNWIND_FRAME if it reads or
					 * writes memory relative to this register, otherwise 0 */
	uint8_t field;			/* has_address: offset of its distance, 4 bytes */
	uint8_t operand;		/* INSN_MOVE_CALL_INDIRECT: offset of the byte that has the
					 * kind of the instruction in it; INSN_MOVE_BRANCH: the
					 * condition */
	bool has_target, has_address, has_immediate;
	bool takes_address;		/* it computes an address only, and reads no memory */
	bool is_nop;			/* it has no effect */
	bool is_padding;		/* it has no effect, or is a trap: compilers and linkers
					 * fill space with it */
	bool is_landing_pad;		/* indirect jumps may lead to it */
	bool pops;			/* it takes the word at the top of the stack */
	bool reads_flags, writes_flags;	/* status flags */
};

/* Must be called before insn_decode(). */
void insn_init(void);

/* insn_version - return the version of the library that decodes instructions. */
uint64_t insn_version(void);

/* insn_decode - decode the instruction at @code, which has @bytes bytes and is at @vaddr.
 * Returns false if there is no instruction. */
bool insn_decode(const uint8_t *code, uint64_t bytes, uint64_t vaddr, struct insn *ret_insn);

/* Returns true if the @bytes bytes at @code begin with a tracepoint's site that is off
 * (__ULF_ARCH_SITE). */
bool insn_is_tracepoint(const uint8_t *code, uint64_t bytes);

/*
 * insn_guess - find the addresses that an instruction at @code could refer to
 *
 * For bytes that may be code or data: looks at the byte patterns of jumps, calls and addresses
 * only.  Returns the number of addresses, at most INSN_GUESSES.
 */
#define INSN_GUESSES	4
uint32_t insn_guess(const uint8_t *code, uint64_t bytes, uint64_t vaddr,
		    uint64_t ret_addresses[INSN_GUESSES]);

#define INSN_BOUNDS	16u

/* A copy that is being made. */
struct insn_copy {
	uint8_t bytes[MOVED_COPY_MAX];
	struct moved_fixup fixups[MOVED_FIXUPS_MAX];
	struct insn_bound {		/* the start of an instruction of the copy */
		uint8_t copy;		/* offset in the copy */
		uint8_t original;	/* moved_frame.original */
		uint8_t pushed;		/* bytes that the copy has pushed, but the original has
					 * not */
	} bounds[INSN_BOUNDS];
	uint32_t nr, nr_fixups, nr_bounds;
	uint32_t nr_original;		/* bytes of the original instructions */
	bool ends;			/* the copy ends with a jump or a return */
};

/* Add a moved instruction to @copy.  @code: its bytes.  @vaddr: where it was.  Returns false if
 * the copy would become too long. */
bool insn_copy_add(struct insn_copy *copy, const struct insn *insn, const uint8_t *code,
		   uint64_t vaddr);

#endif
