/* SPDX-License-Identifier: MIT */
/* The state that the stack tracer keeps for each thread. */
#ifndef ULF_RUNTIME_FUNCTION_THREAD_STACK_H
#define ULF_RUNTIME_FUNCTION_THREAD_STACK_H

#include <assert.h>
#include <stdint.h>

#include "runtime/base/thread.h"

/* The state of the stack tracer in a thread slot. */
struct thread_stack {
	uint64_t resets;		/* value of abi_stack_resets() when @depth was stored */
	uint64_t depth;			/* maximum depth of the thread's stack so far,
					 * bytes */
	uint64_t top;			/* highest address of the thread's stack; 0: not known */
	uint64_t known;			/* number of bytes below @top that certainly belong to
					 * the stack */
	uint64_t limit;			/* maximum number of bytes below @top that
					 * possibly belong to the stack */
};
static_assert(sizeof(struct thread_stack) == THREAD_PART_WORDS * sizeof(uint64_t), "part_words");

/* Returns the state of the stack tracer in @slot.  Any context. */
static inline struct thread_stack *thread_stack(const struct thread_slot *slot)
{
	return (struct thread_stack *)(uintptr_t)slot->part_words;
}

#endif
