/* SPDX-License-Identifier: MIT */
/* The steps close and open of a writer, which move the position to another page.
 * cross.c prepares them; write.c and cross.c commit them. */
#ifndef ULF_RING_STEP_H
#define ULF_RING_STEP_H

#include "arch/arch.h"
#include "ring/ring.h"

#define STEP_STORES_MAX		9
#define STEP_CLOSE_COMMIT	0	/* step_close() puts the store of the page's
					 * commit word at this index of step.stores */

/* A prepared step: a list of stores, and the new position.  A writer of a fast ring commits
 * the step in an rseq section: check that the position is still @expect, do the @nr stores,
 * store @position.  A writer of a slow ring holds the lock, so it commits without the
 * check. */
struct step {
	uint64_t expect, position;
	struct arch_store stores[STEP_STORES_MAX];
	uint32_t nr;
};

/* Add a store to @step. */
static inline void step_store(struct step *step, void *addr, uint64_t value)
{
	step->stores[step->nr++] = (struct arch_store){ addr, value };
}

/* Returns the time by the ring's clock; or @given_ns, if the writer provides the time
 * (ABI_RING_CLOCK_GIVEN). */
static inline uint64_t ring_clock_now(const struct abi_ring *ring, uint64_t given_ns)
{
	if (ring->flags & ABI_RING_CLOCK_GIVEN)
		return given_ns;
	return ring->clock_ns + arch_tsc_scale(arch_tsc(), ring->clock_mult);
}

/* Returns the offset of @position in its page. */
static inline uint32_t page_offset(const struct ring_view *view, uint64_t position)
{
	return position & (view->page_bytes - 1) & ~ABI_POS_FLAGS;
}

/* Returns the page slot of @position. */
static inline uint64_t page_slot_of(const struct ring_view *view, uint64_t position)
{
	return (position >> __builtin_ctz(view->page_bytes)) % view->nr_pages;
}

/* Returns the address of page slot @slot. */
static inline char *page_slot_at(const struct ring_view *view, uint64_t slot)
{
	return (char *)view->ring + view->pages_off + slot * view->page_bytes;
}

/* Returns the address of the page that contains @position. */
static inline char *page_at(const struct ring_view *view, uint64_t position)
{
	return page_slot_at(view, page_slot_of(view, position));
}

/* Returns true if a record of @bytes fits at @offset of a page.  @offset 0: the page is not
 * open yet. */
static inline bool page_has_space(const struct ring_view *view, uint32_t offset,
				  uint32_t bytes)
{
	return offset && view->page_bytes - offset >= bytes + RING_SPARE;
}

/* ---- functions of cross.c that prepare steps; they use general registers only ---- */

/*
 * Prepare a close, the step that leaves the page of @position.
 * Returns 0.  Returns -ENOBUFS if overwrite is 0 and the reader has not freed the next
 * page yet.
 */
int step_close(const struct ring_view *view, uint64_t position, struct step *step);
/* Prepare an open, the step that writes the header of the page that begins at @position. */
void step_open(const struct ring_view *view, uint64_t position, uint64_t now_ns,
	       struct step *step);
/*
 * Count a refused record in the ring of @cpu.
 * Returns false if the record was not counted: the thread now runs on another CPU, or
 * a signal or another thread has interrupted it.
 */
bool ring_count_dropped(const struct ring_view *view, uint32_t cpu);

#endif
