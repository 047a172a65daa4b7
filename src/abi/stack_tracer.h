/* SPDX-License-Identifier: MIT */
/*
 * The stack tracer's data: the deepest stack of a root, and how deep each thread's stack
 * has been.  One block of the arena, at abi_control.stack.  The server creates it when
 * the tracer is first used, and it stays as long as the root.
 *
 *	member			writers
 *	max			CAS: a thread that has filled a copy; the server, to reset it
 *	lock			threads of any process, with signals blocked (shmlock.h)
 *	copies, threads		the holder of the lock; the server also abi_stack_thread.low
 *	is_on			the server
 */
#ifndef ULF_ABI_STACK_TRACER_H
#define ULF_ABI_STACK_TRACER_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ABI_STACK_MAGIC		0x316b7473u	/* the bytes "stk1" */
#define ABI_STACK_FRAMES	500u		/* maximum number of frames of one
						 * stack, as in the kernel */
#define ABI_STACK_THREADS	2048u

/*
 * The parts of abi_stack.max and abi_stack_thread.deepest.  Both words contain a
 * depth in bytes (bits 0..47) and, from bit 49 on, the number of resets that came
 * before the depth was measured.  So a maximum that was measured before a reset is
 * not mistaken for one that was measured after it.  Bit 48 of abi_stack.max is the
 * index of the element of abi_stack.copies that has the deepest stack.  So one store
 * publishes both the depth and the stack.
 */
#define ABI_STACK_DEPTH_MAX	((1ull << 48) - 1)
#define ABI_STACK_COPY		(1ull << 48)
#define ABI_STACK_RESET		(1ull << 49)	/* each reset of the maximum adds this
						 * number to the word */

/* Returns the depth in @word, a value of abi_stack.max or abi_stack_thread.deepest, in
 * bytes. */
static inline uint64_t abi_stack_depth(uint64_t word)
{
	return word & ABI_STACK_DEPTH_MAX;
}

/* Returns the index in @word, a value of abi_stack.max: the number of the valid element
 * of abi_stack.copies. */
static inline uint32_t abi_stack_copy(uint64_t word)
{
	return !!(word & ABI_STACK_COPY);
}

/* Returns the number of resets in @word, a value of abi_stack.max or
 * abi_stack_thread.deepest. */
static inline uint32_t abi_stack_resets(uint64_t word)
{
	return (uint32_t)(word / ABI_STACK_RESET);
}

struct abi_stack_frame {
	uint64_t ip;			/* address of an instruction in the frame's function */
	uint64_t depth;			/* bytes from the upper end of the stack
					 * to the lower end of this frame */
};

struct abi_stack_copy {
	uint32_t sequence;		/* sequence number of this copy; it is odd
					 * while a thread writes the copy */
	uint32_t nr;			/* number of frames in this copy; frames[0] is
					 * the innermost */
	uint32_t tid;			/* id of the thread whose stack was copied */
	uint32_t reserved;
	struct abi_stack_frame frames[ABI_STACK_FRAMES];
};

/* How deep the stack of one thread has been.  The row of a thread is found by
 * abi_comm_first(), as in the table of thread names. */
struct abi_stack_thread {
	uint32_t tid;			/* id of the thread of this row; 0: the row is
					 * free */
	uint32_t pid;			/* pid of the process of the thread */
	uint64_t top;			/* address of the upper end of the thread's
					 * stack */
	uint64_t low;			/* address of the lower end of the thread's
					 * stack; 0: not known yet */
	uint64_t deepest;		/* greatest depth of the stack, and the number
					 * of resets before it (ABI_STACK_RESET); 0
					 * while a thread fills in the row */
};

struct abi_stack {
	uint32_t magic;
	int32_t is_on;			/* value of the setting stack_tracer_enabled */
	uint64_t max;			/* one word with the greatest depth
					 * (stack_max_size), the number of resets, and
					 * the index of the valid copy */
	uint32_t lock;			/* id of the thread that holds the lock; 0:
					 * the lock is free */
	uint32_t reserved[11];
	struct abi_stack_copy copies[2];
	struct abi_stack_thread threads[ABI_STACK_THREADS];
};

/* Copy the deepest stack to @ret_copy.  Returns false if a thread wrote the stack
 * meanwhile; then the copy is not valid. */
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

/*
 * Reset the maximum to @depth.  A thread may be about to store a maximum that it
 * measured before the reset.  Such a thread finds that the number of resets has
 * changed, and drops its result. abi_stack_read() returns the previous stack until a
 * thread has stored a new one.
 */
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
