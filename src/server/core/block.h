/* SPDX-License-Identifier: MIT */
/*
 * Blocks: memory of the arena that the server fills for the processes of a root and then
 * publishes, for example the rules of an instance.  One word of shared memory has the
 * offset of the block that is in force; 0: no block is in force.  (Rings are in the
 * arena, too, but processes write to them and readers still need a ring that was
 * replaced: rings/ring_plan.c.)
 *
 *	1  block_begin()	allocate the block; all its bytes are 0
 *	2  the caller		fill it; no process can find it yet
 *	3  block_publish()	store its offset in the word, and retire the old block
 *	4  apply_start()	the caller raises the generation; each process loads the word,
 *				uses the new block, and stores the generation as applied
 *	5  arena_reap()		free the old block after all live processes have done so
 *
 *	word		writer: the server	readers: agents		order: release, acquire
 *	bytes of a block	the server, before 3	agents, after 3		by the word
 *
 * SIGKILL of the server leaves
 *	after 1 or 2	a block that no word refers to.  The next server finds it as a gap between
 *			the blocks that are in use, and clears it before it uses the gap.
 *	after 3		the new block, which the next server loads through the word.  A process
 *			may still use the old block, and no server knows of it: so the next
 *			server uses no gap until all processes have applied the generation that
 *			it has found (arena.c).
 *	after 4 or 5	the same as after 3; the processes apply the new block.
 * SIGKILL of a process leaves the block as it was, because processes only read it.  (Processes
 * count in the blocks of the profiler and of the stack tracer; abi/profile.h and abi/stack_tracer.h
 * say what a SIGKILL leaves there.)
 *
 * A program can write to all shared memory.  So the server keeps a private copy of each
 * reference, frees only what that copy says, and checks what it loads.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_BLOCK_H
#define ULF_SERVER_BLOCK_H

#include <stdint.h>

#include "abi/control.h"

struct mapping;
struct root;

/* A block that is allocated but not published yet. */
struct block_draft {
	struct abi_ring_ref ref;
	struct mapping *map;		/* mapping of the first bytes of the block, for
					 * filling it; NULL if nothing is mapped */
};

/*
 * Allocate a block of @bytes bytes, and map its first @map_bytes bytes (0: map nothing),
 * so that the caller can fill them.  The caller must call block_publish() or
 * block_cancel().  Returns 0; -ENOMEM if the arena is full; -ENOSPC if the file system is
 * full; or another -errno.
 */
int block_begin(struct root *root, uint64_t bytes, uint64_t map_bytes,
		struct block_draft *ret_draft);
/*
 * Unmap the block, store its offset in @word and its reference in @block, and retire the block that
 * @block referred to.  The caller must call apply_start() if processes may use the old block.
 * Returns 0; or -EIO if the file was cut short while the block was filled: then the block is freed
 * and the old one stays in force.
 */
int block_publish(struct root *root, struct block_draft *draft, struct abi_ring_ref *block,
		  uint64_t *word);
/* Free a block that block_begin() has allocated and that was not published. */
void block_cancel(struct root *root, struct block_draft *draft);
/*
 * Store 0 in @word (unless @word is NULL), and retire @block.  The block is freed as soon
 * as every live process has applied the next generation.  The caller must call
 * apply_start() if @block referred to a block.
 */
void block_retire(struct root *root, struct abi_ring_ref *block, uint64_t *word);

/* Where blocks of one kind store their size, and which sizes are valid. */
struct block_size {
	uint32_t at;			/* offset, from the start of the block, of the
					 * word that holds the block's size */
	uint64_t min, max;		/* smallest and largest valid size of a block of this
					 * kind, bytes */
};
/*
 * Copy the block that the previous server has published at offset @off.
 * @ret_copy: the copy, with a NUL after its last byte; the caller frees it.  NULL if there is
 *   no valid block; then *@ret_block is not set.
 * @ret_bytes: the checked size of the block, bytes.  The size in the copy may differ,
 *	because the program can change it meanwhile.
 * Returns 0; or -ENOMEM: *@ret_block is set, because the block is in use, but there is no copy.
 */
int block_copy(const struct root *root, uint64_t off, const struct block_size *size,
	       struct abi_ring_ref *ret_block, void **ret_copy, uint32_t *ret_bytes);

#endif
