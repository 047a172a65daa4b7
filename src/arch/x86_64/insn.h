/* SPDX-License-Identifier: MIT */
/* Decode and move instructions.  An instruction is decoded only as far as moving it needs.
 * The functions keep no state but the decoder's tables, allocate nothing, and accept any
 * bytes.  Only the server links this code. */
#ifndef ULF_ARCH_INSN_H
#define ULF_ARCH_INSN_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/moved.h"

#define INSN_BYTES_MAX	15u

/* Where a thread continues after it has executed an instruction. */
enum insn_flow {
	INSN_NEXT,		/* the thread continues at the next instruction */
	INSN_CALL,		/* the thread continues in a function, which will return to the
				 * next instruction */
	INSN_BRANCH,		/* the thread continues at the next instruction or at `target` */
	INSN_JUMP,		/* the thread continues at `target`, or at an address that the
				 * instruction computes */
	INSN_END,		/* the thread does not continue in this function: the
				 * instruction is a return or a trap */
};

/* How an instruction is changed when it becomes a part of a copy of moved instructions. */
enum insn_move {
	INSN_PLAIN,		/* the bytes of the instruction are copied; if
				 * has_address is true, the distance at offset `field`
				 * is adapted */
	INSN_MOVE_BRANCH,	/* the instruction becomes a conditional jump with a 32-bit
				 * distance */
	INSN_MOVE_JUMP,		/* the instruction becomes a jump with a 32-bit distance */
	INSN_MOVE_CALL,		/* the instruction becomes a push of the return
				 * address and a jump */
	INSN_MOVE_CALL_INDIRECT,
	INSN_FIXED,		/* the instruction cannot be moved; @reason says why */
};

struct insn {
	uint64_t target;		/* if has_target: the vaddr to which the instruction
					 * jumps */
	uint64_t address;		/* if has_address: the vaddr of the memory operand,
					 * which is relative to the instruction's own address */
	uint64_t immediate;		/* if has_immediate: value of the immediate operand */
	int64_t stack_offset;		/* if stack_register is not 0: distance from the
					 * register to the memory operand */
	uint8_t bytes;
	uint8_t flow;			/* enum insn_flow */
	uint8_t move;			/* enum insn_move */
	uint8_t reason;			/* if @move is INSN_FIXED: enum moved_reason */
	uint8_t stack_register;		/* ARCH_UNWIND_SP or ARCH_UNWIND_FRAME if the
					 * instruction reads or writes memory relative to this
					 * register, else 0 */
	uint8_t field;			/* if has_address: offset in the instruction of the 4
					 * bytes of its distance */
	uint8_t operand;		/* if @move is INSN_MOVE_CALL_INDIRECT: offset
					 * of the modrm byte, which makes the
					 * instruction a call; if it is
					 * INSN_MOVE_BRANCH: the condition */
	bool has_target, has_address, has_immediate;
	bool takes_address;		/* the instruction only computes the address
					 * and does not access the memory at the
					 * address */
	bool is_nop;			/* the instruction has no effect */
	bool is_padding;		/* the instruction has no effect or is a trap:
					 * compilers and linkers fill space with such
					 * instructions */
	bool is_landing_pad;		/* the instruction marks a target of indirect jumps */
	bool pops;			/* the instruction pops a word off the stack */
	bool reads_flags, writes_flags;	/* status flags */
};

/* Initialise the decoder.  Must be called before insn_decode(); further calls have no
 * effect. */
void insn_init(void);

/* insn_version - return the version of the library that decodes instructions */
uint64_t insn_version(void);

/* insn_decode - decode the instruction at @code, which has @bytes bytes and is at @vaddr.
 * Returns false if the bytes are no instruction. */
bool insn_decode(const uint8_t *code, uint64_t bytes, uint64_t vaddr, struct insn *ret_insn);

/* Returns true if the @bytes bytes at @code begin with a tracepoint's site that is off
 * (__ULF_ARCH_SITE). */
bool insn_is_tracepoint(const uint8_t *code, uint64_t bytes);

/* Returns true if the @bytes bytes at @code begin with an instruction that makes a system
 * call. */
bool insn_is_syscall(const uint8_t *code, uint64_t bytes);
/*
 * Returns true if the instruction at @code, which has @bytes bytes, loads a constant into rax,
 * the register for the number of a system call.  *@ret_nr: the constant.
 */
bool insn_is_syscall_number(const uint8_t *code, uint64_t bytes, uint32_t *ret_nr);
/* Returns true if the instruction at @code leaves the number of a system call as it is.  Returns
 * false for calls and for jumps that are always taken, too. */
bool insn_keeps_syscall_number(const uint8_t *code, uint64_t bytes);

/*
 * insn_guess - find the addresses that an instruction at @code could refer to
 *
 * The bytes may be code or data: the function only looks for patterns of jumps, calls and
 * operands with an address.  Returns the number of addresses, at most INSN_GUESSES.
 */
#define INSN_GUESSES	4
uint32_t insn_guess(const uint8_t *code, uint64_t bytes, uint64_t vaddr,
		    uint64_t ret_addresses[INSN_GUESSES]);

#define INSN_BOUNDS	16u

/* A copy of a function's first instructions, while the copy is being made. */
struct insn_copy {
	uint8_t bytes[MOVED_COPY_MAX];
	struct moved_fixup fixups[MOVED_FIXUPS_MAX];
	struct insn_bound {		/* start of an instruction of the copy, and the original
					 * instruction for which it stands */
		uint8_t copy;		/* offset in the copy */
		uint8_t original;	/* moved_frame.original */
		uint8_t pushed;		/* number of bytes that the copy has pushed at
					 * this instruction in addition to what the
					 * original has pushed */
	} bounds[INSN_BOUNDS];
	uint32_t nr, nr_fixups, nr_bounds;
	uint32_t nr_original;		/* size of the original instructions that were
					 * added, bytes */
	bool ends;			/* true: the last instruction is a jump or a
					 * return, so the copy needs no jump at its
					 * end */
};

/* Append an instruction to @copy in the form that insn->move says.  @code: the bytes of the
 * instruction; @vaddr: its original address.  Returns false if the copy would become too
 * long. */
bool insn_copy_add(struct insn_copy *copy, const struct insn *insn, const uint8_t *code,
		   uint64_t vaddr);

#endif
