/* SPDX-License-Identifier: MIT */
/*
 * The code to which the jumps around a system call lead (abi/moved.h, struct moved_syscall).  Each
 * jump has a cell (fcode.h) of its own:
 *
 *	before the call				after it
 *	copy of the instructions
 *	lea	6(%rip),%r11			lea	6(%rip),%r11
 *	jmp	*SCALL_HOOK(cell)		jmp	*SCALL_HOOK(cell)
 *						copy of the instruction
 *	jmp	to the call			jmp	to the next instruction
 *	...
 *	48	address of the hook in scall.S, which comes back by r11
 *	56	number of the system call
 *
 * A system call changes rcx and r11, so around a call no code keeps values in them.  All
 * other registers, the flags and the red zone are kept.
 */
#ifndef ULF_ARCH_SCALL_H
#define ULF_ARCH_SCALL_H

#define SCALL_HOOK	48
#define SCALL_NR	56
#define SCALL_CALL_BYTES	13	/* size of the two instructions that lead to
					 * the hook, bytes */
#define SCALL_ENTER	0		/* offsets in struct scall_handlers */
#define SCALL_EXIT	8

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/fcode.h"
#include "arch/x86_64/moved.h"

/* A place next to a system call at which a jump replaces bytes of one
 * instruction. */
struct scall_site {
	const struct moved_head *head;
	const struct moved_syscall *call;
	bool is_exit;			/* true: the site is after the call, not before it */
};

/* Returns true if @site can be replaced by a jump. */
bool scall_has_site(const struct scall_site *site);
/* Returns the vaddr of the site. */
uint64_t scall_vaddr(const struct scall_site *site);
/* Returns the bytes that must be at the site before it is switched on, and
 * their number. */
const uint8_t *scall_original(const struct scall_site *site, uint32_t *ret_bytes);

/* Map cells for @nr sites within reach of the text from @low to before @high, and make them known
 * to unwinders.  Returns their address, or NULL if there is no space. */
struct fcode_cell *scall_map(uint64_t low, uint64_t high, uint32_t nr);
/* Unmap what scall_map() has returned.  No thread may be in a cell. */
void scall_unmap(struct fcode_cell *cells, uint32_t nr);

/* Write the cell of @site.  @bias: address of a byte of the object in memory minus its vaddr.  The
 * caller is between patch_begin() and patch_end().  Returns 0, or -ERANGE: the cell is too far
 * away from an address that it needs. */
int scall_write(struct fcode_cell *cell, const struct scall_site *site, uint64_t bias);
/* Store in @ret_bytes the jump from @site to @cell. */
void scall_encode(const struct fcode_cell *cell, const struct scall_site *site, uint64_t bias,
		  uint8_t ret_bytes[MOVED_JUMP_BYTES]);

/* The functions that scall.S calls.  They may use only general registers. */
struct scall_handlers {
	/* A thread is about to make the system call @nr.  @args: its six arguments. */
	void (*enter)(const unsigned long *args, uint32_t nr);
	/* The system call @nr has returned @ret. */
	void (*exit)(uint32_t nr, long ret);
};
/* libulf sets both functions before a jump leads to a cell, and never changes them
 * afterwards. */
extern struct scall_handlers scall_handlers __attribute__((visibility("hidden")));

#endif
#endif
