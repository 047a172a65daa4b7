/* SPDX-License-Identifier: MIT */
/*
 * The stack tracer's block of shared memory.  Processes write to it at any time, so the
 * server copies what it reads, and checks the copy.
 */
#include "server/functions/stack_tracer.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/core/arena.h"
#include "server/core/block.h"
#include "server/core/budget.h"
#include "server/core/mapping.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/shm.h"

#define COPY_TRIES	100

static struct abi_stack *stack_of(const struct root *root)
{
	struct root_stack *stack = root_stack(root);

	return stack->map ? stack->map->addr : NULL;
}

/* Map the stack tracer's block, which the previous server has published at offset @off. */
static int use_block(struct root *root, uint64_t off)
{
	struct root_stack *stack = root_stack(root);
	struct abi_ring_ref block = { off, ABI_PAGE_ALIGN(sizeof(struct abi_stack)) };
	struct mapping *map;
	int r;

	if (!arena_has(root, &block))
		return -EBADMSG;
	r = mapping_new(root->fd, block.off, block.bytes, &map);
	if (r)
		return r;
	stack->block = block;
	stack->map = map;
	return 0;
}

/* Map the stack tracer's block of the previous server.  An invalid block is not freed,
 * but replaced by make_block() when a block is needed. */
int stack_tracer_load(struct root *root)
{
	uint64_t off = shm_load(&root->control->stack);
	int r = off ? use_block(root, off) : 0;

	if (r == -ENOMEM)
		return r;
	if (!r && off && shm_load(&stack_of(root)->magic) != ABI_STACK_MAGIC)
		stack_tracer_done(root);
	return 0;
}

void stack_tracer_done(struct root *root)
{
	struct root_stack *stack = root_stack(root);

	mapping_put(stack->map);
	*stack = (struct root_stack){ 0 };
}

void stack_tracer_list_blocks(const struct root *root, struct extent_list *list)
{
	arena_list_block(list, &root_stack(root)->block);
}

/* Make the stack tracer's block if there is none.  The block is never freed, so a process
 * needs to look up its offset only once. */
static int make_block(struct root *root)
{
	struct root_stack *stack = root_stack(root);
	struct block_draft draft;
	struct mapping *map;
	int r;

	if (stack->map)
		return 0;
	r = block_begin(root, sizeof(struct abi_stack), sizeof(struct abi_stack), &draft);
	if (r)
		return r;
	map = mapping_get(draft.map);
	shm_store(&((struct abi_stack *)map->addr)->magic, ABI_STACK_MAGIC);
	r = block_publish(root, &draft, &stack->block, &root->control->stack);
	if (r)
		mapping_put(map);
	else
		stack->map = map;
	return r;
}

/* ---- functions for stack_tracer_enabled and stack_max_size ---- */

int32_t stack_tracer_is_on(const struct root *root)
{
	return root_stack(root)->map ? shm_load(&stack_of(root)->is_on) : 0;
}

int stack_tracer_set(struct root *root, int32_t is_on)
{
	int r = is_on ? make_block(root) : 0;

	if (!r && root_stack(root)->map)
		shm_store(&stack_of(root)->is_on, is_on);
	return r;
}

uint64_t stack_tracer_max(const struct root *root)
{
	return root_stack(root)->map ? abi_stack_depth(shm_load(&stack_of(root)->max)) : 0;
}

int stack_tracer_reset(struct root *root, uint64_t max)
{
	int r = make_block(root);

	/* Limit the depth to ABI_STACK_DEPTH_MAX, the largest depth that can be recorded. */
	if (max > ABI_STACK_DEPTH_MAX)
		max = ABI_STACK_DEPTH_MAX;
	if (!r)
		abi_stack_reset(stack_of(root), max);
	return r;
}

/* ---- functions that copy stacks that processes have recorded ---- */

int stack_tracer_copy(const struct root *root, struct abi_stack_copy *ret_copy)
{
	const struct abi_stack *stack = stack_of(root);
	int tries = 0;

	ret_copy->nr = 0;
	while (stack && !abi_stack_read(stack, ret_copy))
		if (++tries == COPY_TRIES)
			return -EAGAIN;
	if (ret_copy->nr > ABI_STACK_FRAMES)
		ret_copy->nr = 0;
	return 0;
}

/* Copy a thread's row of the stack tracer.  Returns false if the row contains no
 * depth, is invalid, or was reset while it was copied. */
static bool copy_row(const struct abi_stack_thread *row,
		     struct abi_stack_thread *ret_row)
{
	uint64_t deepest = shm_load(&row->deepest);		/* [stack.row] */

	memcpy(ret_row, row, sizeof(*row));
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	ret_row->deepest = abi_stack_depth(deepest);
	return ret_row->deepest && ret_row->tid && ret_row->low <= ret_row->top &&
	       ret_row->deepest <= ret_row->top &&
	       abi_stack_resets(shm_load(&row->deepest)) == abi_stack_resets(deepest);
}

uint32_t stack_tracer_threads(const struct root *root,
			      struct abi_stack_thread *ret_threads, uint32_t max_threads)
{
	const struct abi_stack *stack = stack_of(root);
	uint32_t resets = stack ? abi_stack_resets(shm_load(&stack->max)) : 0;
	uint32_t nr = 0;

	for (uint32_t i = 0; stack && nr < max_threads && i < ABI_STACK_THREADS; i++)
		if (abi_stack_resets(shm_load(&stack->threads[i].deepest)) == resets)
			nr += copy_row(&stack->threads[i], &ret_threads[nr]);
	return nr;
}

/* ---- functions that find the lowest addresses of stacks ---- */

/* A thread for which the server must find the lowest address of its stack. */
struct wanted {
	uint64_t place;			/* lowest address of the thread's stack that the stack
					 * tracer has seen in use */
	uint64_t *low;			/* where to store the lowest address of the
					 * thread's stack */
};

static int compare_wanted(const void *pa, const void *pb)
{
	const struct wanted *a = pa, *b = pb;

	return (a->place > b->place) - (a->place < b->place);
}

/* List the threads of process @pid whose lowest stack address is unknown, sorted by
 * stack address.  Returns the number of these threads. */
static uint32_t list_wanted(struct abi_stack *stack, uint32_t pid,
			    struct wanted wanted[ABI_STACK_THREADS])
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < ABI_STACK_THREADS; i++) {
		struct abi_stack_thread *row = &stack->threads[i];
		struct abi_stack_thread copy;

		if (!shm_load(&row->low) && shm_load(&row->pid) == pid &&
		    copy_row(row, &copy))
			wanted[nr++] = (struct wanted){
				copy.top - copy.deepest, &row->low,
			};
	}
	qsort(wanted, nr, sizeof(*wanted), compare_wanted);
	return nr;
}

/* Find the lowest addresses of the stacks of a process's threads.  The mappings and the
 * threads are both sorted by address.  The main thread's stack is skipped: this stack
 * grows, so its mapping does not show the lowest address of the stack. */
static void see_process(struct abi_stack *stack, const struct process *process,
			const struct budget *budget)
{
	struct wanted wanted[ABI_STACK_THREADS];
	uint32_t nr = list_wanted(stack, process->pid, wanted), at = 0;
	char line[512];
	FILE *maps;

	if (!nr)
		return;
	maps = process_maps_open(process);
	while (maps && at < nr && !budget_is_spent(budget) &&
	       fgets(line, sizeof(line), maps)) {
		uint64_t start, end, none = 0;

		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " rw", &start, &end) != 2 ||
		    strstr(line, "[stack]"))
			continue;
		for (; at < nr && wanted[at].place < end; at++, none = 0)
			if (wanted[at].place >= start)
				__atomic_compare_exchange_n(wanted[at].low, &none, start,
							    false, __ATOMIC_RELAXED,
							    __ATOMIC_RELAXED);
	}
	if (maps)
		fclose(maps);
}

/* Continue with the process at which the last tick has stopped, so that all processes
 * have their turn even if one process has many mappings. */
void stack_tracer_tick(struct root *root)
{
	struct root_stack *state = root_stack(root);
	struct abi_stack *stack = stack_of(root);

	if (!stack)
		return;
	budget_start(&state->budget);
	for (uint32_t i = 0; i <= PROCESS_CREATOR && !budget_is_spent(&state->budget); i++) {
		const struct process *process = root->process[state->next];

		if (process && process->pidfd >= 0)
			see_process(stack, process, &state->budget);
		state->next = (state->next + 1) % (PROCESS_CREATOR + 1);
	}
	budget_stop(&state->budget);
}

bool stack_tracer_is_there(const struct root *root)
{
	return root_stack(root)->map;
}
