/* SPDX-License-Identifier: MIT */
/*
 * The stack tracer: its settings and results, in a block of shared memory (abi/stack_tracer.h).
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_STACK_TRACER_H
#define ULF_SERVER_STACK_TRACER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"
#include "abi/stack_tracer.h"
#include "server/core/budget.h"
#include "server/core/root.h"
#include "server/part_numbers.h"

struct extent_list;
struct mapping;

/* The stack tracer's block, to which abi_control.stack refers.  This is the state of
 * ROOT_PART_STACK_TRACER. */
struct root_stack {
	struct mapping *map;		/* mapping of the stack tracer's block; NULL if
					 * there is no block */
	struct abi_ring_ref block;	/* offset and size of the stack tracer's block */
	struct budget budget;		/* CPU budget of stack_tracer_tick() */
	uint32_t next;			/* process slot at which the next
					 * stack_tracer_tick() begins */
};

/* Return the state of the stack tracer of @root. */
static inline struct root_stack *root_stack(const struct root *root)
{
	return root->part_state[ROOT_PART_STACK_TRACER];
}

/* Method root_part.init: map the block that the previous server has made.  Returns 0 or
 * -ENOMEM; an invalid block is ignored. */
int stack_tracer_load(struct root *root);
/* Method root_part.done: unmap the stack tracer's block. */
void stack_tracer_done(struct root *root);
/* Method root_part.list_blocks: list the stack tracer's block. */
void stack_tracer_list_blocks(const struct root *root, struct extent_list *list);
/* Method root_part.has_recorded: return true if the stack tracer has a block. */
bool stack_tracer_is_there(const struct root *root);
/*
 * Method root_part.tick: find the lowest stack address of each thread that is in the
 * stack tracer's block and has no such address yet.  Skips main threads.  Reads
 * /proc/PID/maps, with a CPU budget for each tick.
 */
void stack_tracer_tick(struct root *root);

/* Return the value of stack_tracer_enabled. */
int32_t stack_tracer_is_on(const struct root *root);
/*
 * Set stack_tracer_enabled.  The caller must call functions_publish() and apply_start().
 * Returns 0, or -errno if there is no memory for the block.
 */
int stack_tracer_set(struct root *root, int32_t is_on);
/* Return stack_max_size, the depth of the deepest stack in bytes, at most
 * ABI_STACK_DEPTH_MAX. */
uint64_t stack_tracer_max(const struct root *root);
/*
 * Forget all recorded stacks, and set stack_max_size to @max, so that only stacks deeper
 * than @max are recorded from now on.  Returns 0, or -errno if there is no memory for the
 * block.
 */
int stack_tracer_reset(struct root *root, uint64_t max);

/*
 * Copy the deepest stack that was recorded.  If there is none, sets ret_copy->nr to 0.
 * Returns 0; or -EAGAIN if processes kept changing the stack during all attempts to
 * copy it.
 */
int stack_tracer_copy(const struct root *root, struct abi_stack_copy *ret_copy);
/*
 * Copy the rows of threads whose stacks were recorded since the last reset, up to
 * @max_threads rows.  Returns the number of these rows.
 */
uint32_t stack_tracer_threads(const struct root *root,
			      struct abi_stack_thread *ret_threads, uint32_t max_threads);

#endif
