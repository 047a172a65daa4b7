/* SPDX-License-Identifier: MIT */
/* The steps of writing a ring that change more than a record; write.c and cross.c. */
#ifndef ULF_RING_STEP_H
#define ULF_RING_STEP_H

#include "arch/arch.h"
#include "ring/ring.h"

#define STEP_STORES_MAX	9

/* One step, prepared outside of any section. */
struct step {
	uint64_t expect, position;
	struct arch_store stores[STEP_STORES_MAX];
	uint32_t nr;
};

static inline void step_store(struct step *step, void *addr, uint64_t value)
{
	step->stores[step->nr++] = (struct arch_store){ addr, value };
}

static inline uint64_t clock_now(const struct abi_ring *ring, uint64_t given_ns)
{
	if (ring->flags & ABI_RING_CLOCK_GIVEN)
		return given_ns;
	return ring->clock_ns + arch_tsc_scale(arch_tsc(), ring->clock_mult);
}

static inline uint32_t page_offset(const struct ring_view *view, uint64_t position)
{
	return position & (view->page_bytes - 1) & ~ABI_POS_FLAGS;
}

static inline uint64_t slot_of(const struct ring_view *view, uint64_t position)
{
	return (position >> __builtin_ctz(view->page_bytes)) % view->nr_pages;
}

static inline char *slot_at(const struct ring_view *view, uint64_t slot)
{
	return (char *)view->ring + view->pages_off + slot * view->page_bytes;
}

static inline char *page_at(const struct ring_view *view, uint64_t position)
{
	return slot_at(view, slot_of(view, position));
}

/* Does a record of @bytes fit at @offset of an open page? */
static inline bool has_room(const struct ring_view *view, uint32_t offset,
			    uint32_t bytes)
{
	return offset && view->page_bytes - offset >= bytes + RING_SPARE;
}

/* ---- cross.c; general registers only ---- */

/* Leave the page that @position is in.  -ENOBUFS: the reader is behind. */
int step_close(const struct ring_view *view, uint64_t position, struct step *step);
/* Write the header of the page that @position is at the start of. */
void step_open(const struct ring_view *view, uint64_t position, uint64_t now_ns,
	       struct step *step);
/* Count a refused record, on the CPU that refused it.  False: this is another. */
bool ring_count_dropped(const struct ring_view *view, uint32_t cpu);

#endif
