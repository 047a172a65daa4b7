/* SPDX-License-Identifier: MIT */
/*
 * The memory of the starter: a thread that libc does not know, but that calls functions of
 * libc.  So it needs thread-local variables, as other threads have them.  The layout of its
 * memory:
 *
 *	block (struct abi_attach) | stack | thread-local variables | struct pthread | dtv
 */
#ifndef ULF_PTRACE_STARTER_H
#define ULF_PTRACE_STARTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "ptrace/target.h"

struct starter_tls {			/* The thread-local variables of one object, as the
					 * starter gets them. */
	uint64_t module;		/* number of the object: its index in the dtv */
	uint64_t offset;		/* how far the object's variables start below the
					 * thread pointer, bytes */
	uint64_t bytes;			/* size of @image */
	uint8_t *image;			/* initial values of the object's first variables; the
					 * other variables are 0 at first */
};

struct starter {
	struct starter_tls *rows;
	size_t nr;
	/* Offsets in the memory. */
	uint64_t stack;
	uint64_t tls;
	uint64_t tp;			/* offset of the thread pointer in the starter's
					 * memory */
	uint64_t dtv;
	uint64_t bytes;			/* size of the memory */
	uint64_t lowest;		/* offset in the starter's memory of the thread-local
					 * variable with the lowest address */
};

/* Read from the program @target what the starter's memory must contain.  Returns 0 or
 * -errno.  The caller must call starter_done() in both cases. */
int starter_read(const struct target *target, struct starter *ret_starter);
void starter_done(struct starter *starter);

/*
 * starter_write - write the thread-local variables, struct pthread and dtv
 * @base: address in the program of the starter's memory.
 * @other: thread pointer of another thread of the program.
 * Returns 0 or -errno.
 */
int starter_write(const struct target *target, const struct starter *starter, uint64_t base,
		  uint64_t other);

#endif
