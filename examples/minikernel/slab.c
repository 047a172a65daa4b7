/* SPDX-License-Identifier: MIT */
/* The allocator.  The memory is one arena of pages, with a descriptor for each page.  A
 * cache divides pages into objects of one size, and keeps a list of the pages with a free
 * object. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include <mini/list.h>
#include <mini/sched.h>
#include <mini/slab.h>

#include "trace/events/kmem.h"

#define PAGE_BYTES	4096
#define NR_PAGES	4096
#define NR_CACHES	32

struct page {
	struct list_head list;		/* links free pages, or the partial pages of a
					 * cache */
	struct kmem_cache *cache;	/* owner of the page; NULL: the page is free */
	void *freelist;			/* list of free objects: each object points to the next */
	unsigned int inuse;
};

struct kmem_cache {
	const char *name;
	size_t object_bytes;	/* requested size */
	size_t size;		/* size with padding, a multiple of 8 */
	struct list_head partial;
};

static spinlock_t slab_lock = SPIN_LOCK_INIT;	/* protects all variables below */
static char *arena;
static struct page pages[NR_PAGES];
static LIST_HEAD(free_pages);
static struct kmem_cache caches[NR_CACHES];
static unsigned int nr_caches;
static struct slab_stats stats;

static const struct {
	const char *name;
	size_t size;
} kmalloc_info[] = {
	{ "kmalloc-8", 8 }, { "kmalloc-16", 16 }, { "kmalloc-32", 32 },
	{ "kmalloc-64", 64 }, { "kmalloc-96", 96 }, { "kmalloc-128", 128 },
	{ "kmalloc-192", 192 }, { "kmalloc-256", 256 }, { "kmalloc-512", 512 },
	{ "kmalloc-1k", 1024 }, { "kmalloc-2k", 2048 }, { "kmalloc-4k", 4096 },
};
static struct kmem_cache *kmalloc_caches[ARRAY_SIZE(kmalloc_info)];

static struct page *virt_to_page(const void *obj)
{
	return &pages[((const char *)obj - arena) / PAGE_BYTES];
}

static void *page_address(const struct page *page)
{
	return arena + (page - pages) * PAGE_BYTES;
}

static struct page *new_slab(struct kmem_cache *cache)
{
	struct page *page;
	char *obj;
	size_t i;

	if (list_empty(&free_pages))
		return NULL;
	page = list_first_entry(&free_pages, struct page, list);
	list_del_init(&page->list);
	page->cache = cache;
	page->inuse = 0;
	page->freelist = NULL;
	obj = page_address(page);
	for (i = PAGE_BYTES / cache->size; i-- > 0;) {
		memcpy(obj + i * cache->size, &page->freelist, sizeof(void *));
		page->freelist = obj + i * cache->size;
	}
	list_add(&page->list, &cache->partial);
	stats.pages++;
	return page;
}

static void discard_slab(struct page *page)
{
	list_del_init(&page->list);
	page->cache = NULL;
	list_add(&page->list, &free_pages);
	stats.pages--;
}

static void *slab_alloc(struct kmem_cache *cache, gfp_t gfp)
{
	struct page *page;
	void *obj = NULL;
	bool flags;

	if (gfp & __GFP_DIRECT_RECLAIM)
		cond_resched();
	spin_lock_irqsave(&slab_lock, flags);
	if (list_empty(&cache->partial))
		page = new_slab(cache);
	else
		page = list_first_entry(&cache->partial, struct page, list);
	if (page) {
		obj = page->freelist;
		memcpy(&page->freelist, obj, sizeof(void *));
		page->inuse++;
		stats.objects++;
		if (!page->freelist)
			list_del_init(&page->list);
	}
	spin_unlock_irqrestore(&slab_lock, flags);
	if (obj && gfp & __GFP_ZERO)
		memset(obj, 0, cache->size);
	return obj;
}

static void slab_free(void *obj)
{
	struct page *page = virt_to_page(obj);
	bool flags;

	spin_lock_irqsave(&slab_lock, flags);
	if (!page->cache || !page->inuse)
		panic("an object is freed twice");
	if (!page->freelist)
		list_add_tail(&page->list, &page->cache->partial);
	memcpy(obj, &page->freelist, sizeof(void *));
	page->freelist = obj;
	page->inuse--;
	stats.objects--;
	spin_unlock_irqrestore(&slab_lock, flags);
}

/* Create a cache.  Called only while booting. */
struct kmem_cache *kmem_cache_create(const char *name, size_t size)
{
	struct kmem_cache *cache;

	if (nr_caches == NR_CACHES || size > PAGE_BYTES)
		return NULL;
	cache = &caches[nr_caches++];
	cache->name = name;
	cache->object_bytes = size;
	cache->size = (size + 7) / 8 * 8;
	INIT_LIST_HEAD(&cache->partial);
	return cache;
}

void *kmem_cache_alloc(struct kmem_cache *cache, gfp_t flags)
{
	void *obj = slab_alloc(cache, flags);

	trace_kmem_cache_alloc(_RET_IP_, obj, cache->object_bytes, cache->size, flags,
			       NUMA_NO_NODE);
	return obj;
}

void kmem_cache_free(struct kmem_cache *cache, void *obj)
{
	if (!obj)
		return;
	trace_kmem_cache_free(_RET_IP_, obj, cache->name);
	slab_free(obj);
}

static struct kmem_cache *kmalloc_slab(size_t size)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kmalloc_info); i++)
		if (size <= kmalloc_info[i].size)
			return kmalloc_caches[i];
	return NULL;
}

void *kmalloc(size_t size, gfp_t flags)
{
	struct kmem_cache *cache = kmalloc_slab(size);
	void *obj;

	if (!cache)
		return NULL;
	obj = slab_alloc(cache, flags);
	trace_kmalloc(_RET_IP_, obj, size, cache->size, flags, NUMA_NO_NODE);
	return obj;
}

void kfree(const void *obj)
{
	trace_kfree(_RET_IP_, obj);
	if (obj)
		slab_free((void *)obj);
}

unsigned int kmem_cache_shrink_all(void)
{
	struct page *page, *tmp;
	unsigned int i, freed = 0;
	bool flags;

	spin_lock_irqsave(&slab_lock, flags);
	for (i = 0; i < nr_caches; i++) {
		list_for_each_entry_safe(page, tmp, &caches[i].partial, list) {
			if (page->inuse)
				continue;
			discard_slab(page);
			freed++;
		}
	}
	spin_unlock_irqrestore(&slab_lock, flags);
	return freed;
}

void slab_get_stats(struct slab_stats *ret_stats)
{
	bool flags;

	spin_lock_irqsave(&slab_lock, flags);
	*ret_stats = stats;
	spin_unlock_irqrestore(&slab_lock, flags);
}

int slab_init(void)
{
	size_t i;

	arena = mmap(NULL, (size_t)NR_PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (arena == MAP_FAILED)
		return -errno;
	for (i = 0; i < NR_PAGES; i++)
		list_add_tail(&pages[i].list, &free_pages);
	for (i = 0; i < ARRAY_SIZE(kmalloc_info); i++)
		kmalloc_caches[i] = kmem_cache_create(kmalloc_info[i].name,
						      kmalloc_info[i].size);
	return 0;
}

void slab_done(void)
{
	if (stats.objects)
		fprintf(stderr, "minikernel: %lu objects were never freed\n", stats.objects);
	munmap(arena, (size_t)NR_PAGES * PAGE_BYTES);
}
