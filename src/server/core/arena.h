/* SPDX-License-Identifier: MIT */
/* The arena: the part of a root's memory in which the server places rings and blocks. */
#ifndef ULF_SERVER_ARENA_H
#define ULF_SERVER_ARENA_H

#include <stdbool.h>
#include <stdint.h>

struct abi_ring_ref;
struct extent_list;	/* a list of the byte ranges of the arena that are in use */
struct root;

/* A block of the arena that was retired.  Writers may still use it until every live process
 * has applied @generation. */
struct extent {
	uint64_t off, bytes;
	uint32_t generation;
};

/* Allocate @bytes bytes of the arena, filled with zeroes.  Returns 0; -ENOMEM if the
 * arena is full; -ENOSPC if the file system is full. */
int arena_alloc(struct root *root, uint64_t bytes, uint64_t *ret_off);
/* Free the block @ref as soon as every live process has applied @generation. */
void arena_free(struct root *root, const struct abi_ring_ref *ref, uint32_t generation);
/* Return the memory of freed blocks to the file system, as soon as no process uses these
 * blocks any more. */
void arena_reap(struct root *root);
/* Add @block to @list, the blocks in use.  A part's method list_blocks() calls this
 * function for each of its blocks.  A reference with offset 0 is ignored. */
void arena_list_block(struct extent_list *list, const struct abi_ring_ref *block);
/* Return true if @ref refers to a range inside of the arena. */
bool arena_has(const struct root *root, const struct abi_ring_ref *ref);

#endif
