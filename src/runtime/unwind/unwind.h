/* SPDX-License-Identifier: MIT */
/*
 * Find the callers of a function: unwind the stack of the current thread, one frame at a
 * time.
 *
 * Any thread and any signal handler may call these functions.  They take no lock and
 * allocate no memory.  They return safely even if the stack or the unwind tables hold
 * garbage.
 */
#ifndef ULF_RUNTIME_UNWIND_H
#define ULF_RUNTIME_UNWIND_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/arch.h"
#include "runtime/unwind/image.h"

#define UNWIND_PAGE	((uint64_t)ARCH_PAGE_BYTES)

struct unwind {
	uint64_t regs[ARCH_UNWIND_REGS];	/* registers of the current frame */
	bool is_interrupted;		/* true: a signal interrupted the frame, or
					 * the frame is the first one, so its pc is
					 * not a return address */
	struct image image;		/* cache: the object of the frame that was
					 * unwound last; image.start is 0 if the pc of
					 * this frame is in no object */
	uint64_t low, high;		/* the stack addresses from @low to before
					 * @high are known to be readable */
};

/* Set *@unwind to the frame of the function that calls unwind_start(). */
static inline __attribute__((always_inline)) void
unwind_start(struct unwind *unwind)
{
	arch_unwind_here(unwind->regs);
	unwind->is_interrupted = true;
	unwind->image = (struct image){ 0 };
	/* The memory page of the stack pointer is readable, because the current frame
	 * is on it. */
	unwind->low = unwind->regs[ARCH_UNWIND_SP] & ~(UNWIND_PAGE - 1);
	unwind->high = unwind->low + UNWIND_PAGE;
}

/*
 * unwind_step - move from the current frame to its caller.
 * @ret_function: start of the function whose frame is left; 0 if no unwind table
 * describes this function.  Set in all cases.
 *
 * Returns 0, or -ENODATA if there is no caller or it cannot be found.
 */
int unwind_step(struct unwind *unwind, uint64_t *ret_function);

/*
 * stack_step - do unwind_step(), and add the object of the previous frame to the root's
 * table of objects (stack.c).
 *
 * Returns false if there is no caller.
 */
bool stack_step(struct unwind *unwind, uint64_t *ret_function);

/* Find the object that contains @addr.  Returns false if there is none, or if
 * unwind_can_find() is false. */
bool unwind_find(uint64_t addr, struct image *ret_image);
/* Find the object that contains @addr, as unwind_find() does.  Also store the address
 * of the object's .eh_frame_hdr in *@ret_header; 0 if it has none. */
bool unwind_find_header(uint64_t addr, struct image *ret_image, uint64_t *ret_header);
/* Returns true if libc has _dl_find_object().  unwind_find() and unwind_step() need it
 * to find the object at an address. */
bool unwind_can_find(void);

/* Returns the pc of the current frame: a return address, or the address at which a
 * signal interrupted the frame. */
static inline uint64_t unwind_pc(const struct unwind *unwind)
{
	return unwind->regs[ARCH_UNWIND_PC];
}

#endif
