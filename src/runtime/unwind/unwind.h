/* SPDX-License-Identifier: MIT */
/* The callers of a function.  Any context; no lock, no memory but the stack's;
 * whatever the stack or the tables hold. */
#ifndef ULF_RUNTIME_UNWIND_H
#define ULF_RUNTIME_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "runtime/unwind/image.h"

#define UNWIND_PAGE	4096ull

struct unwind {
	uint64_t regs[ARCH_UNWIND_REGS];	/* of the frame where we are */
	bool is_interrupted;		/* its pc is not behind a call */
	struct image image;		/* of the frame that was left last; start 0:
					 * of none */
	uint64_t low, high;		/* stack that is known to be there */
};

/* Begin with the function that this is in. */
static inline __attribute__((always_inline)) void
unwind_start(struct unwind *unwind)
{
	arch_unwind_here(unwind->regs);
	unwind->is_interrupted = true;
	unwind->image = (struct image){ 0 };
	/* we are on it */
	unwind->low = unwind->regs[ARCH_UNWIND_SP] & ~(UNWIND_PAGE - 1);
	unwind->high = unwind->low + UNWIND_PAGE;
}

/* Go to the caller.  Where the function of the frame that was left begins
 * stands in @ret_function then; 0: no table knows.  -ENODATA: there is no
 * caller, or it cannot be found. */
int unwind_step(struct unwind *unwind, uint64_t *ret_function);

/* stack.c: the same, and the object of who was left is told to the root; false:
 * there is no caller. */
bool stack_step(struct unwind *unwind, uint64_t *ret_function);

/* The object that @addr is in; false: none. */
bool unwind_find(uint64_t addr, struct image *ret_image);
/* The same, and where its .eh_frame_hdr is; 0: it has none. */
bool unwind_find_header(uint64_t addr, struct image *ret_image, uint64_t *ret_header);
/* Can objects be found at all?  Not with a libc that has no _dl_find_object(). */
bool unwind_can_find(void);

static inline uint64_t unwind_pc(const struct unwind *unwind)
{
	return unwind->regs[ARCH_UNWIND_PC];
}

#endif
