/* SPDX-License-Identifier: MIT */
/*
 * From a page of a ring to the next: what write.c says of close and open.  With
 * general registers only, so that the hooks of functions may do it, too.
 */
#include <errno.h>

#include "base/bits.h"
#include "base/testpoint.h"
#include "ring/step.h"

int step_close(const struct ring_view *view, uint64_t position, struct step *step)
{
	struct abi_ring *ring = view->ring;
	uint32_t offset = page_offset(view, position);
	uint64_t start = (position & ~(uint64_t)ABI_POS_FLAGS) - offset;
	uint64_t next = start + view->page_bytes;

	if (!__atomic_load_n(&ring->overwrite, __ATOMIC_RELAXED)) {
		/* mate: ring_cursor_consume() [ring.free] */
		uint64_t read = __atomic_load_n(&ring->read_page,
						__ATOMIC_ACQUIRE);

		if (next / view->page_bytes - read >= view->nr_pages)
			return -ENOBUFS;
	}
	step->expect = position;
	/* The same copies: the end of this page is below all of the next. */
	step->position = next | (position & ABI_POS_FLAGS);
	step->nr = 0;
	step_store(step, page_at(view, position) + 8, offset - ABI_PAGE_HEADER);
	return 0;
}

/* What a page's open writes: up to where its appends may move the position, and what
 * added to the ring's address and a position in it gives the address of the next byte. */
static uint64_t end_of(const struct ring_view *view, uint64_t start, uint32_t copy)
{
	return start + view->page_bytes - RING_RESERVE + copy;
}

static uint64_t address_of(const struct ring_view *view, uint64_t start, uint32_t copy)
{
	return (uint64_t)(page_at(view, start) - (char *)view->ring) - start - copy;
}

void step_open(const struct ring_view *view, uint64_t position, uint64_t now_ns,
	       struct step *step)
{
	struct abi_ring *ring = view->ring;
	uint32_t old = position & ABI_POS_FLAGS, new = old ^ ABI_POS_PAGE;
	uint64_t start = position - old;
	uint64_t slot = slot_of(view, position);
	char *page = slot_at(view, slot);
	struct abi_ring_page *table = (void *)((char *)ring + ABI_RING_PAGES_AT);
	uint64_t entries = ring->entries[old];

	now_ns = max_u64(now_ns, ring->time_ns[old]);
	step->expect = position;
	step->position = (start + ABI_PAGE_HEADER) | new;
	step->nr = 0;
	step_store(step, page, now_ns);
	step_store(step, page + 8, 0);
	step_store(step, &table[slot].entries, entries);
	step_store(step, &ring->time_ns[new], now_ns);
	step_store(step, &ring->entries[new], entries);
	/* Both copies that the records of this page will select in turn. */
	for (int i = 0; i < 2; i++, new ^= ABI_POS_RECORD) {
		step_store(step, &ring->end[new], end_of(view, start, new));
		step_store(step, &ring->address[new],
			   address_of(view, start, new));
	}
}

/* Do the copies that @position selects say what the open of its page has written? */
static bool is_sound(const struct ring_view *view, uint64_t position)
{
	const struct abi_ring *ring = view->ring;
	uint32_t copy = position & ABI_POS_FLAGS;
	uint64_t start = position - copy - page_offset(view, position);

	return __atomic_load_n(&ring->end[copy], __ATOMIC_RELAXED) ==
	       end_of(view, start, copy) &&
	       __atomic_load_n(&ring->address[copy], __ATOMIC_RELAXED) ==
	       address_of(view, start, copy);
}

bool ring_count_dropped(const struct ring_view *view, uint32_t cpu)
{
	struct abi_ring *ring = view->ring;
	uint64_t dropped = __atomic_load_n(&ring->dropped, __ATOMIC_RELAXED);

	return arch_rseq_store(cpu, &ring->dropped, dropped, dropped + 1,
			       NULL, 0) == ARCH_COMMIT_DONE;
}

int ring_leave(const struct ring_view *view, uint32_t cpu, uint32_t bytes,
	       uint64_t now_ns)
{
	struct abi_ring *ring = view->ring;
	struct step step;
	uint64_t position;
	uint32_t offset;

	if (!ring_is_recording(ring))
		return -ECANCELED;
	for (int i = 0; i < 2; i++) {
		/* Read before the last time: if it is unchanged at the commit,
		 * nobody has written a later one in between. */
		position = __atomic_load_n(&ring->position, __ATOMIC_ACQUIRE);
		offset = page_offset(view, position);
		if (has_room(view, offset, bytes))
			return is_sound(view, position) ||
			       position != __atomic_load_n(&ring->position,
							   __ATOMIC_RELAXED) ?
			       0 : -EBADMSG;
		if (!offset) {
			step_open(view, position,
				  now_ns ? now_ns : clock_now(ring, 0), &step);
			TESTPOINT("ring.open");
		} else if (step_close(view, position, &step)) {
			return -ENOBUFS;
		} else {
			TESTPOINT("ring.close");
		}
		if (arch_rseq_store(cpu, &ring->position, step.expect,
				    step.position, step.stores, step.nr) !=
		    ARCH_COMMIT_DONE)
			break;
	}
	return 0;
}

int ring_cross(const struct ring_set *set, uint32_t bytes, uint64_t now_ns)
{
	uint32_t cpu = arch_rseq_cpu();
	const struct ring_view *view = ring_set_fast(set, cpu);
	int r;

	if (!view || ring_has_room(view->ring, bytes))
		return 0;	/* without a ring the append finds out */
	r = ring_leave(view, cpu, bytes, now_ns);
	if (r == -ENOBUFS && !ring_count_dropped(view, cpu))
		r = 0;
	return r;
}
