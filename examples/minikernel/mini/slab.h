/* SPDX-License-Identifier: MIT */
/*
 * The allocator.  It has caches of equal objects, which are cut out of pages of one arena,
 * and kmalloc() on a row of such caches.
 */
#ifndef MINI_SLAB_H
#define MINI_SLAB_H

#include <mini/gfp.h>
#include <mini/types.h>

#define NUMA_NO_NODE	(-1)

struct kmem_cache;

int slab_init(void);
void slab_done(void);	/* frees the arena; reports objects that are still in use */

/* Create a cache.  Returns NULL if there are too many caches or there is no memory. */
struct kmem_cache *kmem_cache_create(const char *name, size_t size);
void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t flags);
void kmem_cache_free(struct kmem_cache *cache, void *obj);

void *kmalloc(size_t size, gfp_t flags);	/* up to a page */
void kfree(const void *obj);
static inline void *kzalloc(size_t size, gfp_t flags)
{
	return kmalloc(size, flags | __GFP_ZERO);
}

struct slab_stats {
	unsigned long pages, objects;
};

void slab_get_stats(struct slab_stats *ret_stats);

/* Give pages without objects back to the arena.  Returns the number of these pages. */
unsigned int kmem_cache_shrink_all(void);

#endif
