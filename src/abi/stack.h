/* SPDX-License-Identifier: MIT */
/*
 * The stack tracer's: the deepest stack of a root, and how deep each thread has
 * been.  One piece in the arena, which abi_control.stack names; made by the server
 * when the tracer is first used, and there as long as the root is.
 *
 * word			writer
 * max			CAS: who has filled a copy; the server, to reset it
 * lock			threads of any process, with signals blocked (shmlock.h)
 * copies, threads	who has the lock; but abi_stack_thread.low the server, too
 * is_on		the server
 */
#ifndef ULF_ABI_STACK_H
#define ULF_ABI_STACK_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ABI_STACK_MAGIC		0x316b7473u	/* "stk1" */
#define ABI_STACK_FRAMES	500u		/* the kernel has as many */
#define ABI_STACK_THREADS	2048u

/*
 * A depth in bytes, and after how many resets that was: one word, so that a
 * reset and a new maximum cannot be taken for each other.  In abi_stack.max
 * also which copy has the stack of the last maximum, as publishing the one is
 * publishing the other.
 */
#define ABI_STACK_DEPTH_MAX	((1ull << 48) - 1)
#define ABI_STACK_COPY		(1ull << 48)
#define ABI_STACK_RESET		(1ull << 49)	/* added for each */

static inline uint64_t abi_stack_depth(uint64_t word)
{
	return word & ABI_STACK_DEPTH_MAX;
}

static inline uint32_t abi_stack_copy(uint64_t word)
{
	return !!(word & ABI_STACK_COPY);
}

static inline uint32_t abi_stack_resets(uint64_t word)
{
	return (uint32_t)(word / ABI_STACK_RESET);
}

struct abi_stack_frame {
	uint64_t ip;			/* in this function */
	uint64_t depth;			/* with its frame, from the stack's top */
};

struct abi_stack_copy {
	uint32_t sequence;		/* odd while it is written */
	uint32_t nr;			/* of frames; the innermost is the first */
	uint32_t tid;
	uint32_t reserved;
	struct abi_stack_frame frames[ABI_STACK_FRAMES];
};

/* A thread's row is found as in the table of names: abi_comm_first(). */
struct abi_stack_thread {
	uint32_t tid;			/* 0: free */
	uint32_t pid;
	uint64_t top;			/* where its stack begins */
	uint64_t low;			/* where it ends; 0: not known yet */
	uint64_t deepest;		/* depth and resets; 0: being filled */
};

struct abi_stack {
	uint32_t magic;
	int32_t is_on;			/* stack_tracer_enabled */
	uint64_t max;			/* stack_max_size */
	uint32_t lock;			/* thread id of the holder, or 0 */
	uint32_t reserved[11];
	struct abi_stack_copy copies[2];
	struct abi_stack_thread threads[ABI_STACK_THREADS];
};

/* Copy the stack that is shown.  False: it was written to meanwhile. */
static inline bool abi_stack_read(const struct abi_stack *stack,
				  struct abi_stack_copy *ret_copy)
{
	uint64_t max = __atomic_load_n(&stack->max,
				       __ATOMIC_ACQUIRE);	/* [stack.max] */
	const struct abi_stack_copy *copy = &stack->copies[abi_stack_copy(max)];
	uint32_t sequence = __atomic_load_n(&copy->sequence,
					    __ATOMIC_ACQUIRE);	/* [stack.copy] */

	memcpy(ret_copy, copy, sizeof(*copy));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return !(sequence & 1) &&
	       sequence == __atomic_load_n(&copy->sequence, __ATOMIC_RELAXED);
}

/* Begin anew, with that as the maximum.  Whatever is under way then is of before, and
 * comes to nothing; the last stack is shown until there is another one. */
static inline void abi_stack_reset(struct abi_stack *stack, uint64_t depth)
{
	uint64_t seen = __atomic_load_n(&stack->max, __ATOMIC_RELAXED), next;

	do {
		next = seen - abi_stack_depth(seen) + ABI_STACK_RESET + depth;
	} while (!__atomic_compare_exchange_n(&stack->max, &seen, next, false,
					      __ATOMIC_ACQ_REL, /* [stack.max] */
					      __ATOMIC_RELAXED));
}

static_assert(sizeof(struct abi_stack_copy) == 8016, "ABI");
static_assert(sizeof(struct abi_stack_thread) == 32, "ABI");
static_assert(offsetof(struct abi_stack, copies) == 64, "ABI");
static_assert(sizeof(struct abi_stack) == 81632, "ABI");

#endif
