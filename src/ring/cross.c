/* SPDX-License-Identifier: MIT */
/*
 * Move from one page of a ring to the next: the steps close and open, which write.c
 * describes.  This file uses general registers only, so that function hooks may call it.
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
		/* acquire: the reader has finished with the next page before this
		 * process writes to that page.  Pairs with ring_cursor_consume()
		 * [ring.free] */
		uint64_t read = __atomic_load_n(&ring->read_page,
						__ATOMIC_ACQUIRE);

		if (next / view->page_bytes - read >= view->nr_pages)
			return -ENOBUFS;
	}
	step->expect = position;
	/*
	 * Keep the flags of the old position, so that the new position selects the same
	 * elements of end[] and address[].  The selected end[] is the end of the old
	 * page, which is below every position in the next page.  So no record fits
	 * until the next page is open.
	 */
	step->position = next | (position & ABI_POS_FLAGS);
	step->nr = 0;
	step_store(step, page_at(view, position) + 8, offset - ABI_PAGE_HEADER);
	return 0;
}

/*
 * The two values that step_open() stores for a page: its end, and a base for addresses.
 *
 * page_end_position() is the highest position that an append in the page may reach.
 * page_address_base() is a number for computing addresses: the byte at a position in
 * the page is at this number + the ring's address + the position.
 *
 * Example: pages of 4096 bytes, the first at 4096; page 6 is in slot 2, at 12288, and
 * begins at position 24576.  For copy 0, end[0] is 24576 + 4096 - 12 = 28660 and
 * address[0] is 12288 - 24576 = -12288.
 */
static uint64_t page_end_position(const struct ring_view *view, uint64_t start, uint32_t copy)
{
	return start + view->page_bytes - RING_RESERVE + copy;
}

static uint64_t page_address_base(const struct ring_view *view, uint64_t start, uint32_t copy)
{
	return (uint64_t)(page_at(view, start) - (char *)view->ring) - start - copy;
}

void step_open(const struct ring_view *view, uint64_t position, uint64_t now_ns,
	       struct step *step)
{
	struct abi_ring *ring = view->ring;
	uint32_t old = position & ABI_POS_FLAGS, new = old ^ ABI_POS_PAGE;
	uint64_t start = position - old;
	uint64_t slot = page_slot_of(view, position);
	char *page = page_slot_at(view, slot);
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
	/* The records in the new page need two elements of end[] and two of address[], because
	 * each record flips the bit ABI_POS_RECORD of the position. */
	for (int i = 0; i < 2; i++, new ^= ABI_POS_RECORD) {
		step_store(step, &ring->end[new], page_end_position(view, start, new));
		step_store(step, &ring->address[new],
			   page_address_base(view, start, new));
	}
}

/* The low bits of @position select one element of abi_ring.end[] and one of address[].
 * Returns true if these two elements have the values that step_open() stores for this
 * page. */
static bool is_open_page_sound(const struct ring_view *view, uint64_t position)
{
	const struct abi_ring *ring = view->ring;
	uint32_t copy = position & ABI_POS_FLAGS;
	uint64_t start = position - copy - page_offset(view, position);

	return __atomic_load_n(&ring->end[copy], __ATOMIC_RELAXED) ==
	       page_end_position(view, start, copy) &&
	       __atomic_load_n(&ring->address[copy], __ATOMIC_RELAXED) ==
	       page_address_base(view, start, copy);
}

/* Returns true if a writer has changed the ring's position since the caller loaded
 * @position. */
static bool has_moved(const struct abi_ring *ring, uint64_t position)
{
	/* Complete the loads of is_open_page_sound() before the position is loaded again
	 * [ring.copy] */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return position != __atomic_load_n(&ring->position, __ATOMIC_RELAXED);
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
		/*
		 * Load the position before the time of the newest record.  If the
		 * position is still unchanged at the commit, no writer has stored a
		 * later time in between.  Acquire: another CPU may have committed the
		 * position [ring.commit]
		 */
		position = __atomic_load_n(&ring->position, __ATOMIC_ACQUIRE);
		offset = page_offset(view, position);
		if (page_has_space(view, offset, bytes))
			return is_open_page_sound(view, position) ||
			       has_moved(ring, position) ?
			       0 : -EBADMSG;
		if (!offset) {
			step_open(view, position,
				  now_ns ? now_ns : ring_clock_now(ring, 0), &step);
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
		return 0;	/* the record fits; or the CPU has no ring, which the
				 * caller's next append reports (ARCH_COMMIT_NO_RING) */
	r = ring_leave(view, cpu, bytes, now_ns);
	if (r == -ENOBUFS && !ring_count_dropped(view, cpu))
		r = 0;
	return r;
}
