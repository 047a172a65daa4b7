/* SPDX-License-Identifier: MIT */
/* Publish, retire and load blocks of shared memory; see block.h. */
#include "server/core/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "abi/ring.h"
#include "server/core/arena.h"
#include "server/core/mapping.h"
#include "server/core/root.h"
#include "server/core/shm.h"

int block_begin(struct root *root, uint64_t bytes, uint64_t map_bytes,
		struct block_draft *ret_draft)
{
	struct block_draft draft = { .ref.bytes = ABI_PAGE_ALIGN(bytes) };
	int r = arena_alloc(root, draft.ref.bytes, &draft.ref.off);

	if (r)
		return r;
	if (map_bytes)
		r = mapping_new(root->fd, draft.ref.off, ABI_PAGE_ALIGN(map_bytes), &draft.map);
	if (r) {
		block_cancel(root, &draft);
		return r;
	}
	*ret_draft = draft;
	return 0;
}

int block_publish(struct root *root, struct block_draft *draft, struct abi_ring_ref *block,
		  uint64_t *word)
{
	struct abi_ring_ref old = *block;

	if (draft->map && draft->map->is_lost) {
		block_cancel(root, draft);
		return -EIO;
	}
	mapping_put(draft->map);
	*block = draft->ref;
	shm_store(word, block->off);		/* [block.word] */
	block_retire(root, &old, NULL);
	return 0;
}

/* Free a block that was not published.  No process has seen the block, so the arena can
 * use its memory at once. */
void block_cancel(struct root *root, struct block_draft *draft)
{
	mapping_put(draft->map);
	arena_free(root, &draft->ref, shm_load(&root->control->generation));
}

void block_retire(struct root *root, struct abi_ring_ref *block, uint64_t *word)
{
	if (word)
		shm_store(word, 0);
	arena_free(root, block, shm_load(&root->control->generation) + 1);
	*block = (struct abi_ring_ref){ 0, 0 };
}

/* Return the size of the block at offset @off, which the block stores @at bytes after its
 * start.  Returns 0 if there is no block. */
static uint32_t read_size(const struct root *root, uint64_t off, uint32_t at)
{
	struct abi_ring_ref head = { off, ABI_PAGE_BYTES_MIN };
	struct mapping *map;
	uint32_t bytes;

	if (!off || !arena_has(root, &head) ||
	    mapping_new(root->fd, head.off, head.bytes, &map))
		return 0;
	bytes = shm_load((const uint32_t *)((const char *)map->addr + at));
	mapping_put(map);
	return bytes;
}

int block_copy(const struct root *root, uint64_t off, const struct block_size *size,
	       struct abi_ring_ref *ret_block, void **ret_copy, uint32_t *ret_bytes)
{
	uint32_t bytes = read_size(root, off, size->at);
	struct abi_ring_ref ref = { off, ABI_PAGE_ALIGN((uint64_t)bytes) };
	struct mapping *map;
	char *copy;

	*ret_copy = NULL;
	if (bytes < size->min || bytes > size->max || !arena_has(root, &ref) ||
	    mapping_new(root->fd, ref.off, ref.bytes, &map))
		return 0;
	*ret_block = ref;
	*ret_bytes = bytes;
	copy = malloc(bytes + 1ul);
	if (copy) {
		memcpy(copy, map->addr, bytes);
		copy[bytes] = '\0';
	}
	mapping_put(map);
	*ret_copy = copy;
	return copy ? 0 : -ENOMEM;
}
