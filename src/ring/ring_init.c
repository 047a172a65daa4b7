/* SPDX-License-Identifier: MIT */
/* Create rings in zeroed memory, and sets of rings. */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "ring/ring.h"

static uint64_t pages_offset(uint32_t page_bytes, uint32_t nr_pages)
{
	uint64_t off = ABI_RING_PAGES_AT +
		       (uint64_t)nr_pages * sizeof(struct abi_ring_page);

	return ALIGN_UP(off, (uint64_t)page_bytes);
}

uint64_t ring_bytes(uint32_t page_bytes, uint32_t nr_pages)
{
	if (page_bytes < ABI_PAGE_BYTES_MIN || page_bytes > ABI_PAGE_BYTES_MAX ||
	    (page_bytes & (page_bytes - 1)) || nr_pages < 2)
		return 0;
	return pages_offset(page_bytes, nr_pages) +
	       (uint64_t)page_bytes * nr_pages;
}

struct abi_ring ring_none = { .off = ABI_RING_OFF };

size_t ring_set_alloc_bytes(uint32_t nr_cpus)
{
	size_t views = (size_t)nr_cpus * RING_SIDES * RING_VIEWS;

	return sizeof(struct ring_set) + views * sizeof(struct ring_view) +
	       nr_cpus * sizeof(struct ring_view *);
}

void ring_set_init(struct ring_set *set, uint32_t nr_cpus)
{
	struct ring_view *views = (struct ring_view *)(set + 1);

	set->nr_cpus = nr_cpus;
	set->small_max = 0;
	set->has_rseq = 0;
	set->clock_given = 0;
	set->clock = 0;
	set->tag = 0;
	for (uint32_t i = 0; i < RING_SIDES; i++) {
		set->side[i].fast = views + (size_t)nr_cpus * RING_VIEWS * i;
		set->side[i].slow = set->side[i].fast + nr_cpus;
		set->side[i].late = set->side[i].slow + nr_cpus;
	}
	memset(views, 0, (size_t)nr_cpus * RING_SIDES * RING_VIEWS * sizeof(*views));
	set->slow = (const struct ring_view **)
		    (views + (size_t)nr_cpus * RING_SIDES * RING_VIEWS);
	for (uint32_t i = 0; i < nr_cpus; i++)
		set->slow[i] = &set->side[0].slow[i];
	for (uint32_t i = 0; i < ARRAY_SIZE(set->none); i++)
		set->none[i] = &ring_none;
	for (uint32_t i = 0; i < RING_CPUS; i++) {
		set->fast[i] = &ring_none;
		set->limit[i] = 0;
		set->hook_limit[i] = 0;
	}
}

/* The two fast rings of a CPU, one on each side, get one limit: that of the smaller
 * ring.  The reason: a writer loads the ring and then the limit, and another thread
 * may switch sides in between. */
void ring_set_limit(struct ring_set *set)
{
	for (uint32_t i = 0; i < set->nr_cpus; i++) {
		uint64_t limit = UINT64_MAX;

		for (uint32_t side = 0; side < RING_SIDES; side++) {
			const struct ring_view *view = &set->side[side].fast[i];

			if (view->ring)
				limit = min_u64(limit, ring_limit(view));
		}
		set->limit[i] = limit == UINT64_MAX ? 0 : limit;
		set->hook_limit[i] = set->limit[i] < RING_HOOK_MAX ? 0 :
				     set->limit[i] - RING_HOOK_MAX;
	}
}

void ring_set_recording(struct abi_ring *ring, bool on)
{
	__atomic_store_n(&ring->off, on ? 0 : ABI_RING_OFF, __ATOMIC_RELAXED);
}

/* The position of a new ring is at the start of page 0.  This page is not open, because
 * end[0] is 0.  The first writer opens it, like any later page. */
int ring_init(void *mem, const struct ring_config *config)
{
	struct abi_ring *ring = mem;

	if (!ring_bytes(config->page_bytes, config->nr_pages) ||
	    config->clock_mult > 1ull << 32)
		return -EINVAL;
	memset(ring, 0, sizeof(*ring));
	ring->page_bytes = config->page_bytes;
	ring->nr_pages = config->nr_pages;
	ring->cpu = config->cpu;
	ring->flags = config->flags;
	/* The stored factor of the clock is a fraction of 2^64: the high half of
	 * (tsc * factor) is the time.  The factor 1, which is 1 << 32 in @config,
	 * cannot be stored as such a fraction.  So it becomes the largest fraction,
	 * UINT64_MAX. */
	ring->clock_mult = config->clock_mult >> 32 ?
			   UINT64_MAX : config->clock_mult << 32;
	ring->clock_ns = config->clock_ns -
			 arch_tsc_scale(config->clock_tsc, ring->clock_mult);
	ring->pages_off = pages_offset(config->page_bytes, config->nr_pages);
	ring_set_recording(ring, !config->is_paused);
	ring->overwrite = config->overwrite;
	return 0;
}
