/* SPDX-License-Identifier: MIT */
/*
 * The arena: the last part of a root's file, for rings and blocks (rules, lists).
 * Shared memory holds a reference to each range of the arena that is in use.  So a new
 * server needs no other list.  A block to which no reference is left is not reused
 * until no process writes to it any more.  A new server does not know which blocks the
 * previous server had retired but not freed yet.  So it allocates after the end of the
 * file until all processes have applied the current generation.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "abi/ring.h"
#include "server/core/apply.h"
#include "server/core/arena.h"
#include "server/core/instance.h"
#include "server/core/part.h"
#include "server/core/root.h"
#include "server/core/shm.h"

bool arena_has(const struct root *root, const struct abi_ring_ref *ref)
{
	return ref->off >= root->arena_off && ref->off % ABI_ALIGN == 0 &&
	       ref->off <= root->map_bytes && ref->bytes >= ABI_PAGE_BYTES_MIN &&
	       ref->bytes <= root->map_bytes - ref->off;
}

struct extent_list {
	struct extent *extents;
	size_t nr, capacity;
	bool is_out_of_memory;
};

static void list_add(struct extent_list *list, uint64_t off, uint64_t bytes)
{
	struct extent *grown;

	if (list->nr == list->capacity) {
		list->capacity = list->capacity ? list->capacity * 2 : 64;
		grown = realloc(list->extents, list->capacity * sizeof(*grown));
		if (!grown) {
			list->is_out_of_memory = true;
			list->capacity = list->nr;
			return;
		}
		list->extents = grown;
	}
	list->extents[list->nr++] = (struct extent){ off, bytes, 0 };
}

void arena_list_block(struct extent_list *list, const struct abi_ring_ref *block)
{
	if (block->off)
		list_add(list, block->off, block->bytes);
}

static void add_ref(const struct root *root, struct extent_list *list,
		    const struct abi_ring_ref *shared)
{
	struct abi_ring_ref ref = {
		.off = shm_load(&shared->off),
		.bytes = shm_load(&shared->bytes),
	};

	if (arena_has(root, &ref))
		list_add(list, ref.off, ref.bytes);
}

static void add_side(const struct root *root, struct extent_list *list,
		     const struct abi_side *side)
{
	for (uint32_t cpu = 0; cpu < root->nr_cpus; cpu++) {
		for (int kind = 0; kind < ABI_RING_KINDS; kind++) {
			add_ref(root, list, &side->ring[cpu][kind]);
			add_ref(root, list, &side->prev[cpu][kind]);
		}
	}
}

static int compare_extents(const void *pa, const void *pb)
{
	const struct extent *a = pa, *b = pb;

	return (a->off > b->off) - (a->off < b->off);
}

static int list_used(const struct root *root, struct extent_list *list)
{
	const struct abi_buffer *buffers = root->top.abi;
	const struct instance_part *part;
	const struct root_part *root_part;
	const struct instance *instance;

	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		if (!shm_load(&buffers[i].used))
			continue;
		add_side(root, list, &buffers[i].side[0]);
		add_side(root, list, &buffers[i].side[1]);
	}
	for_each_root_part(root_part, root->parts, list_blocks)
		root_part->list_blocks(root, list);
	for_each_instance(instance, root)
		for_each_instance_part(part, root->parts, list_blocks)
			part->list_blocks(instance, list);
	for (size_t i = 0; i < root->nr_pending; i++)
		list_add(list, root->pending[i].off, root->pending[i].bytes);
	if (list->is_out_of_memory)
		return -ENOMEM;
	if (list->nr)
		qsort(list->extents, list->nr, sizeof(*list->extents),
		      compare_extents);
	return 0;
}

/*
 * Set *@ret_off to the offset in the file at which the search for free memory of the
 * arena starts.  While the server does not know which blocks processes still use, the
 * search starts at the end of the file.
 */
static int search_start(struct root *root, uint64_t *ret_off)
{
	struct stat st;

	*ret_off = root->arena_off;
	if (!root->is_arena_known)
		root->is_arena_known = apply_is_settled(root,
			shm_load(&root->control->generation));
	if (root->is_arena_known)
		return 0;
	if (fstat(root->fd, &st))
		return -errno;
	if ((uint64_t)st.st_size > *ret_off)
		*ret_off = ABI_PAGE_ALIGN((uint64_t)st.st_size);
	return 0;
}

static int find_gap(struct root *root, uint64_t bytes, uint64_t *ret_off)
{
	struct extent_list list = { 0 };
	uint64_t off;
	int r = search_start(root, &off);

	if (!r)
		r = list_used(root, &list);
	for (size_t i = 0; !r && i < list.nr; i++) {
		const struct extent *used = &list.extents[i];

		if (used->off >= off && used->off - off >= bytes)
			break;
		if (used->off + used->bytes > off)
			off = ABI_PAGE_ALIGN(used->off + used->bytes);
	}
	free(list.extents);
	if (r)
		return r;
	if (off > root->map_bytes || bytes > root->map_bytes - off)
		return -ENOMEM;
	*ret_off = off;
	return 0;
}

static int punch_hole(const struct root *root, uint64_t off, uint64_t bytes)
{
	return fallocate(root->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			 (off_t)off, (off_t)bytes) ? -errno : 0;
}

/*
 * Allocate memory of the arena.  A range that is not in use may contain data of a server
 * that died.  So first punch a hole, which reads as zeroes.  Then allocate the memory in
 * the file: without this, a writer would get SIGBUS if the file system were full.
 */
int arena_alloc(struct root *root, uint64_t bytes, uint64_t *ret_off)
{
	uint64_t off;
	int r;

	arena_reap(root);
	bytes = ABI_PAGE_ALIGN(bytes);
	r = find_gap(root, bytes, &off);
	if (r)
		return r;
	r = punch_hole(root, off, bytes);
	if (r)
		return r;
	if (fallocate(root->fd, 0, (off_t)off, (off_t)bytes)) {
		r = -errno;
		punch_hole(root, off, bytes);
		return r == -EINTR ? -ENOMEM : r;
	}
	*ret_off = off;
	return 0;
}

void arena_free(struct root *root, const struct abi_ring_ref *ref,
		uint32_t generation)
{
	struct extent *pending = root->pending;
	size_t nr = root->nr_pending;

	if (!arena_has(root, ref))
		return;
	if (!(nr & (nr - 1)))		/* double root->pending when it is full, which it
					 * is when its number of elements is a power of
					 * two */
		pending = realloc(pending, (nr ? 2 * nr : 1) * sizeof(*pending));
	if (!pending) {
		/*
		 * There is no memory for an entry in the list of pending blocks, so
		 * the server no longer knows all blocks in use.  Until all processes
		 * have applied the current generation, the server allocates only after
		 * the end of the file.  Then the server finds the lost block as a gap
		 * between the blocks in use.
		 */
		root->is_arena_known = false;
		return;
	}
	root->pending = pending;
	pending[root->nr_pending++] = (struct extent){
		ref->off, ref->bytes, generation,
	};
}

void arena_reap(struct root *root)
{
	size_t kept = 0;

	for (size_t i = 0; i < root->nr_pending; i++) {
		struct extent *extent = &root->pending[i];

		if (apply_is_settled(root, extent->generation))
			punch_hole(root, extent->off, extent->bytes);
		else
			root->pending[kept++] = *extent;
	}
	root->nr_pending = kept;
}
