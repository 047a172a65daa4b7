/* SPDX-License-Identifier: MIT */
/*
 * The code to which the jumps around a system call lead (abi/moved.h, struct moved_syscall).  Each
 * jump has a cell (fcode.h) of its own:
 *
 *	0	lea	6(%rip),%r11
 *	7	jmp	*SCALL_HOOK(cell)	scall.S; it comes back by r11
 *	13	the replaced instruction
 *		jmp	to the instruction after it
 *	40	address of the hook		(SCALL_HOOK)
 *	48	number of the system call	(SCALL_NR)
 *
 * A system call changes rcx and r11, so no code has values in them there that it needs later.
 * Before the call, eax has no value either: the replaced instruction sets it.  All other
 * registers, the flags and the red zone are kept.
 */
#ifndef ULF_ARCH_SCALL_H
#define ULF_ARCH_SCALL_H

#define SCALL_BACK	13		/* offset in a cell to which the hook returns */
#define SCALL_HOOK	40
#define SCALL_NR	48
#define SCALL_ENTER	0		/* offsets in struct scall_handlers */
#define SCALL_EXIT	8

#ifndef __ASSEMBLER__
#include <stdbool.h>
#include <stdint.h>

#include "arch/x86_64/fcode.h"
#include "arch/x86_64/moved.h"

#define SCALL_SITE_MAX	MOVED_AFTER_MAX	/* maximum number of bytes that a process compares at one
					 * of the two sites of a call */

/* A site: a place at which a jump replaces one instruction. */
struct scall_site {
	uint64_t vaddr;
	uint8_t bytes;			/* number of bytes in @original */
	uint8_t insn;			/* size of the replaced instruction; 0: there is no site */
	bool ends;			/* true: the instruction is a return */
	bool is_exit;			/* true: the site is after the call, not before it */
	uint8_t original[SCALL_SITE_MAX];
};

/* Describe the site before @call, or the one after it. */
struct scall_site scall_site(const struct moved_syscall *call, bool is_exit);

/* Map cells for @nr sites within reach of the text from @low to before @high, and make them known
 * to unwinders.  Returns their address, or NULL if there is no space. */
struct fcode_cell *scall_map(uint64_t low, uint64_t high, uint32_t nr);
/* Unmap what scall_map() has returned.  No thread may be in a cell. */
void scall_unmap(struct fcode_cell *cells, uint32_t nr);

/* Write the cell of @site, a site of a call with the number @nr.  @bias: address of a byte of the
 * object in memory minus its vaddr.  The caller is between patch_begin() and patch_end(). */
void scall_write(struct fcode_cell *cell, const struct scall_site *site, uint32_t nr,
		 uint64_t bias);

/* Store in @ret_bytes the site->bytes bytes of @site while it jumps to @cell. */
void scall_encode(const struct fcode_cell *cell, const struct scall_site *site, uint64_t bias,
		  uint8_t ret_bytes[SCALL_SITE_MAX]);

/* The functions that scall.S calls.  They may use general registers only. */
struct scall_handlers {
	/* A thread is about to make the system call @nr.  @args: its six arguments. */
	void (*enter)(const unsigned long *args, uint32_t nr);
	/* The system call @nr has returned @ret. */
	void (*exit)(uint32_t nr, long ret);
};
/* Both members must be set before a jump leads to a cell, and stay as they are. */
extern struct scall_handlers scall_handlers __attribute__((visibility("hidden")));

#endif
#endif
