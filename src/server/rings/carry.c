/* SPDX-License-Identifier: MIT */
/*
 * Keep records when the size of a ring changes twice.  For each ring, abi_side has a
 * reference to one old ring (`prev`).  If the old ring still has records when the size
 * changes again, they are copied to the start of the new ring.  The counters of the
 * old ring are added to those of the new ring.  Readers need only that the records of
 * each ring stay in order of time.
 *
 * The server first fills the new ring in private memory.  The reason: the code that
 * writes to a ring does not check the ring, and memory that is shared with a program
 * can change at any time.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/bits.h"
#include "server/rings/receipt.h"
#include "server/rings/rings.h"

static int copy_records(const struct ring_view *from, const struct ring_view *to)
{
	struct {
		uint64_t headroom;	/* RING_HEADROOM bytes of space before the record,
					 * because ring_view_write() may overwrite them */
		uint8_t data[ALIGN_UP(RING_PAYLOAD_MAX_SLOW, 8)];
	} copy;
	uint32_t tid = (uint32_t)gettid();
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_head head;
	int r = ring_head(from, &head);

	if (r)
		return 0;		/* if @from is not a valid ring, it has no records
					 * to copy */
	r = ring_cursor_init(&cursor, from);
	if (r)
		return r;
	/* Copy only the records that the old ring had when ring_head() was called,
	 * because a slow process may still write to it. */
	while (cursor.entries < head.entries &&
	       ring_cursor_peek(&cursor, &record) > 0) {
		if (record.bytes && record.bytes <= RING_PAYLOAD_MAX_SLOW) {
			memcpy(copy.data, record.data, record.bytes);
			ring_view_write(to, copy.data, record.bytes,
					record.time_ns, tid);
		}
		ring_cursor_advance(&cursor, &record);
	}
	ring_cursor_done(&cursor);
	return 0;
}

static void copy_counters(const struct ring_view *from, const struct ring_view *to)
{
	struct ring_stats stats;

	if (!ring_stats(from, &stats))
		ring_inherit(to, &stats);
}

static uint64_t used_bytes(const struct abi_ring *ring)
{
	uint64_t pages = ring->position / ring->page_bytes + 1;

	return ring->pages_off +
	       min_u64(pages, ring->nr_pages) * ring->page_bytes;
}

int ring_carry(const struct ring_view *from, const struct ring_config *config,
	       void *to)
{
	uint64_t bytes = ring_bytes(config->page_bytes, config->nr_pages);
	struct ring_config private = *config;
	struct ring_view view;
	struct abi_ring *ring;
	int r;

	ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (ring == MAP_FAILED)
		return -ENOMEM;
	/* Use overwrite mode, so that the oldest records are dropped if the new ring
	 * is too small.  Because of ABI_RING_CLOCK_GIVEN the records keep their times. */
	private.overwrite = true;
	private.is_paused = false;
	private.flags |= ABI_RING_CLOCK_GIVEN;
	receipt_settle(from);
	r = ring_init(ring, &private);
	if (!r)
		r = ring_view_init(&view, ring, bytes);
	if (!r)
		r = copy_records(from, &view);
	if (!r) {
		copy_counters(from, &view);
		ring->overwrite = config->overwrite;
		ring->flags = config->flags;
		ring_set_recording(ring, !config->is_paused);
		memcpy(to, ring, used_bytes(ring));
	}
	munmap(ring, bytes);
	return r;
}
