/* SPDX-License-Identifier: MIT */
/*
 * Walk a ring record by record, from page to page, and count overrun records.
 *
 * The ring stores how far the consuming reader has read, so that the next server
 * continues where a killed server stopped.  read[] has two elements for this state, and
 * read_slot selects the valid element (s in this table).  Each step writes the other
 * element, then read_slot [ring.read]:
 *
 *	step			read_slot	after a kill, the next server
 *	none			s		gives the records again
 *	ring_cursor_offer()	s, OFFERED	calls ring_settle(): a ticket says
 *						whether the reader has the
 *						records; else they are in doubt
 *	ring_cursor_consume()	s^1		continues after the records
 *	ring_cursor_withdraw()	s		gives the records again
 *
 * Example: read[0] is before record 10, and the server sends records 10 .. 14.  Offer:
 * read[1] = before 15, read_slot = 0 | OFFERED.  The bytes go out.  Consume: read_slot =
 * 1.  A server that dies between the offer and the consume, without a ticket, leaves five
 * records in doubt: the next server continues with 15 and reports five lost records
 * before it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/testpoint.h"
#include "ring/ring.h"

#define STALE_MAX	100	/* limit: a reader gives up when writers have lapped
				 * it this many times in a row */

static struct abi_ring_read read_state(const struct ring_view *view)
{
	/* acquire: the element of read[] was stored before read_slot.  Pairs with
	 * set_read_state() [ring.read] */
	uint32_t slot = __atomic_load_n(&view->ring->read_slot,
					__ATOMIC_ACQUIRE) & ABI_READ_SLOT;

	return view->ring->read[slot];
}

/* Let writers reuse the pages before page number @page. */
static void free_pages(const struct ring_view *view, uint64_t page)
{
	/* release: the reader has finished with the pages before @page.  Pairs with
	 * step_close() [ring.free] */
	__atomic_store_n(&view->ring->read_page, page, __ATOMIC_RELEASE);
}

/* Store @state as the new state of the consuming reader, and let writers reuse the
 * pages before the reader's page. */
static void set_read_state(const struct ring_view *view,
			   const struct abi_ring_read *state)
{
	uint32_t slot = ~view->ring->read_slot & ABI_READ_SLOT;

	view->ring->read[slot] = *state;
	/* release: the new element of read[] is stored before read_slot.  Pairs with
	 * read_state() [ring.read] */
	__atomic_store_n(&view->ring->read_slot, slot, __ATOMIC_RELEASE);
	TESTPOINT("ring.read.set");
	free_pages(view, state->page);
}

int ring_cursor_init(struct ring_cursor *cursor, const struct ring_view *view)
{
	struct abi_ring_read state = read_state(view);

	*cursor = (struct ring_cursor){
		.view = *view,
		.seq = state.page,
		.offset = (uint32_t)min_u64(state.offset, view->page_bytes),
		.entries = state.entries,
		.lost = state.unreported,
		.page.data = malloc(view->page_bytes),
	};
	return cursor->page.data ? 0 : -ENOMEM;
}

void ring_cursor_done(struct ring_cursor *cursor)
{
	free(cursor->page.data);
	free(cursor->ahead);
	cursor->page.data = cursor->ahead = NULL;
}

/* Compute the time at cursor->offset of the page that was just read, by adding the time
 * deltas of the records before this offset. */
static void walk_to_offset(struct ring_cursor *cursor)
{
	struct ring_record record;
	uint32_t offset = 0;

	cursor->time_ns = cursor->page.time_ns;
	while (offset < cursor->offset) {
		if (ring_record_next(&cursor->page, &offset, &cursor->time_ns,
				     &record) <= 0) {
			cursor->is_corrupt = true;
			offset = cursor->page.bytes;
			break;
		}
	}
	cursor->offset = offset;
}

/* Count the lost records before the index @entries, which is that of the next record to
 * read.  The records before it that were not read are lost. */
static void count_lost_entries(struct ring_cursor *cursor, uint64_t entries)
{
	uint64_t lost = entries > cursor->entries ?
			entries - cursor->entries : 0;

	cursor->lost += lost;
	cursor->lost_count += lost;
	cursor->entries = entries;
}

/* Read page number cursor->seq into cursor->page.  If this page is overwritten, read
 * the oldest page of the ring instead.  Returns 0, or -EAGAIN if the page is not
 * written yet or writers have lapped the reader too often. */
static int enter_page(struct ring_cursor *cursor)
{
	struct ring_head head;
	int r = -EAGAIN;

	for (int i = 0; i < STALE_MAX; i++) {
		r = ring_page_read(&cursor->view, cursor->seq, &cursor->page);
		if (r != -ESTALE)
			break;
		r = ring_head(&cursor->view, &head);
		if (r)
			return r;
		cursor->seq = ring_oldest(&cursor->view, &head);
		cursor->offset = 0;
	}
	if (r)
		return r == -ESTALE ? -EAGAIN : r;
	cursor->has_page = true;
	if (cursor->offset) {
		walk_to_offset(cursor);
	} else {
		count_lost_entries(cursor, cursor->page.entries);
		cursor->time_ns = cursor->page.time_ns;
	}
	return 0;
}

/* Called when the cursor's copy of the page has no further record.  Returns 0 if there
 * may be more records in the ring, so that the caller should try again, or -EAGAIN if
 * there are none. */
static int refill_cursor(struct ring_cursor *cursor)
{
	uint32_t bytes = cursor->page.bytes;
	int r;

	if (!cursor->page.is_open) {
		cursor->seq++;
		cursor->offset = 0;
		cursor->has_page = false;
		return 0;
	}
	r = ring_page_read(&cursor->view, cursor->seq, &cursor->page);
	if (r == -ESTALE) {
		cursor->has_page = false;
		return 0;
	}
	if (r) {
		/* The read failed, so the content of cursor->page is undefined.  The
		 * next call of enter_page() reads the page again. */
		cursor->has_page = false;
		return r;
	}
	return cursor->page.bytes > bytes || !cursor->page.is_open ?
	       0 : -EAGAIN;
}

int ring_cursor_peek(struct ring_cursor *cursor, struct ring_record *ret_record)
{
	/* Most pages have records; write_under_lock() in write.c leaves the rare
	 * empty page.  A broken writer can produce empty pages as fast as they are
	 * read, so this loop has a limit. */
	for (uint32_t i = 0; i < cursor->view.nr_pages + STALE_MAX; i++) {
		int r;

		if (!cursor->has_page && enter_page(cursor))
			return 0;
		cursor->next_offset = cursor->offset;
		cursor->next_time_ns = cursor->time_ns;
		r = ring_record_next(&cursor->page, &cursor->next_offset,
				     &cursor->next_time_ns, ret_record);
		if (r > 0)
			return 1;
		if (r < 0) {
			cursor->is_corrupt = true;
			cursor->offset = cursor->page.bytes;
		}
		if (refill_cursor(cursor))
			return 0;
	}
	return 0;
}

void ring_cursor_advance(struct ring_cursor *cursor,
			 const struct ring_record *record)
{
	(void)record;
	cursor->offset = cursor->next_offset;
	cursor->time_ns = cursor->next_time_ns;
	cursor->entries++;
	cursor->read_count++;
	cursor->lost = 0;
}

uint32_t ring_cursor_peek_page(const struct ring_cursor *cursor, uint64_t *ret_time_ns)
{
	uint64_t time_ns = cursor->page.time_ns;
	struct ring_record record;
	uint32_t offset = 0, nr = 0;
	int r;

	if (!cursor->has_page || cursor->page.is_open || cursor->offset)
		return 0;
	while ((r = ring_record_next(&cursor->page, &offset, &time_ns, &record)) > 0)
		nr++;
	*ret_time_ns = time_ns;
	return r ? 0 : nr;
}

void ring_cursor_advance_page(struct ring_cursor *cursor, uint32_t nr, uint64_t time_ns)
{
	cursor->offset = cursor->page.bytes;
	cursor->time_ns = time_ns;
	cursor->entries += nr;
	cursor->read_count += nr;
	cursor->lost = 0;
}

/* Reading the second record is cheap if it is on the page of the first one.  Otherwise
 * a copy of the cursor reads the next page into cursor->ahead. */
int ring_cursor_peek_second(struct ring_cursor *cursor,
			    struct ring_record *ret_record)
{
	struct ring_cursor ahead = *cursor;

	ring_cursor_advance(&ahead, NULL);
	if (ring_record_next(&ahead.page, &ahead.next_offset,
			     &ahead.next_time_ns, ret_record) > 0)
		return 1;
	if (!cursor->ahead)
		cursor->ahead = malloc(cursor->view.page_bytes);
	ahead.page.data = cursor->ahead;
	return ahead.page.data && !refill_cursor(&ahead) &&
	       ring_cursor_peek(&ahead, ret_record) && !ahead.lost;
}

/* Returns the state that the consuming reader has after it has read all records
 * before the cursor.  @from: the reader's present state. */
static struct abi_ring_read read_state_at(const struct ring_cursor *cursor,
					  const struct abi_ring_read *from)
{
	struct abi_ring_read state = *from;

	state.page = cursor->seq;
	state.offset = cursor->offset;
	state.entries = cursor->entries;
	state.read += cursor->read_count;
	state.lost += cursor->lost_count;
	state.unreported = cursor->lost;
	return state;
}

void ring_cursor_offer(const struct ring_cursor *cursor, uint64_t ticket)
{
	struct abi_ring *ring = cursor->view.ring;
	uint32_t slot = ring->read_slot & ABI_READ_SLOT;
	struct abi_ring_read from = read_state(&cursor->view);

	ring->read[slot ^ ABI_READ_SLOT] = read_state_at(cursor, &from);
	ring->read_ticket = ticket;
	/* release: the other element of read[] is stored before read_slot.  Pairs with
	 * ring_settle() [ring.read] */
	__atomic_store_n(&ring->read_slot, slot | ABI_READ_OFFERED,
			 __ATOMIC_RELEASE);
}

void ring_cursor_withdraw(const struct ring_cursor *cursor)
{
	struct abi_ring *ring = cursor->view.ring;

	__atomic_store_n(&ring->read_slot, ring->read_slot & ABI_READ_SLOT,
			 __ATOMIC_RELEASE);	/* [ring.read] */
}

void ring_cursor_consume(struct ring_cursor *cursor)
{
	struct abi_ring_read state;

	cursor->before = read_state(&cursor->view);
	state = read_state_at(cursor, &cursor->before);
	cursor->read_count = 0;
	cursor->lost_count = 0;
	set_read_state(&cursor->view, &state);
}

/* Count the records before the state @to that no reader has got and no LOST line has
 * reported.  The records between the states @from and @to are among them. */
static uint64_t count_unreported(const struct abi_ring_read *from,
				 const struct abi_ring_read *to)
{
	return from->unreported + (to->read - from->read) +
	       (to->lost - from->lost);
}

void ring_cursor_return(struct ring_cursor *cursor)
{
	set_read_state(&cursor->view, &cursor->before);
}

void ring_cursor_doubt(struct ring_cursor *cursor,
		       const struct abi_ring_read *after)
{
	struct abi_ring_read state = read_state(&cursor->view);

	state.unreported += count_unreported(&cursor->before, after) - after->unreported;
	set_read_state(&cursor->view, &state);
}

struct abi_ring_read ring_read_state(const struct ring_view *view)
{
	return read_state(view);
}

/* Returns true if a reader can have moved from state @from to state @to.  Both states
 * come from shared memory, so impossible values are rejected here. */
static bool is_read_state_ahead(const struct ring_view *view,
				const struct abi_ring_read *from,
				const struct abi_ring_read *to)
{
	struct ring_head head;

	return !ring_head(view, &head) && to->page <= head.page &&
	       to->offset < view->page_bytes && to->read >= from->read &&
	       to->lost >= from->lost &&
	       (to->page == from->page ? to->offset >= from->offset :
					 to->page > from->page);
}

uint64_t ring_offer_ticket(const struct ring_view *view)
{
	/* acquire: the elements of read[] were stored before read_slot.  Pairs with
	 * ring_cursor_offer() [ring.read] */
	uint32_t word = __atomic_load_n(&view->ring->read_slot, __ATOMIC_ACQUIRE);

	return word & ABI_READ_OFFERED ? view->ring->read_ticket : 0;
}

void ring_settle(const struct ring_view *view, enum ring_outcome outcome)
{
	struct abi_ring *ring = view->ring;
	/* acquire: the elements of read[] were stored before read_slot.  Pairs with
	 * ring_cursor_offer() [ring.read] */
	uint32_t word = __atomic_load_n(&ring->read_slot, __ATOMIC_ACQUIRE);
	uint32_t slot = word & ABI_READ_SLOT;
	struct abi_ring_read from = ring->read[slot];
	struct abi_ring_read to = ring->read[slot ^ ABI_READ_SLOT];

	if ((word & ABI_READ_OFFERED) && outcome != RING_NOT_TAKEN &&
	    is_read_state_ahead(view, &from, &to)) {
		/* If this server is killed after the next store, the next server repeats this
		 * step.  The result is the same, because the old value of to.unreported is not
		 * used. */
		if (outcome == RING_IN_DOUBT)
			to.unreported = count_unreported(&from, &to);
		set_read_state(view, &to);
		return;
	}
	if (word & ~ABI_READ_SLOT)
		__atomic_store_n(&ring->read_slot, slot, __ATOMIC_RELEASE); /* [ring.read] */
	/* Free the pages before the reader's page.  A previous server may have been
	 * killed in set_read_state(), after the state was stored and before the pages
	 * were freed. */
	if (__atomic_load_n(&ring->read_page, __ATOMIC_RELAXED) != from.page)
		free_pages(view, from.page);
}

int ring_clear(const struct ring_view *view)
{
	struct ring_head head;
	int r = ring_head(view, &head);

	if (r)
		return r;
	set_read_state(view, &(struct abi_ring_read){
		.page = head.page,
		.offset = head.bytes,
		.entries = head.entries,
		.cleared_entries = head.entries,
		.cleared_dropped = head.dropped,
	});
	return 0;
}

void ring_inherit(const struct ring_view *view, const struct ring_stats *old)
{
	struct abi_ring_read state = read_state(view);

	state.read += old->read;
	state.lost += old->overrun;
	state.cleared_dropped -= old->dropped;	/* The number of dropped records since
						 * the last clear includes those that
						 * the old ring dropped. */
	state.unreported += old->unreported;
	set_read_state(view, &state);
}

/* Load the number of records before page @seq, and the page's commit word and time stamp.
 * Returns 0, or -ESTALE if the page is overwritten. */
static int page_summary(const struct ring_view *view, uint64_t seq,
			uint64_t *ret_entries, uint64_t *ret_bytes,
			uint64_t *ret_time)
{
	const uint8_t *mem = (const uint8_t *)view->ring;
	const struct abi_ring_page *table =
		(const void *)(mem + ABI_RING_PAGES_AT);
	uint64_t slot = seq % view->nr_pages;
	const uint64_t *page = (const void *)(mem + view->pages_off +
					      slot * view->page_bytes);
	struct ring_head head;

	*ret_entries = __atomic_load_n(&table[slot].entries, __ATOMIC_RELAXED);
	*ret_time = __atomic_load_n(&page[0], __ATOMIC_RELAXED);
	*ret_bytes = min_u64(__atomic_load_n(&page[1], __ATOMIC_RELAXED),
			     view->page_bytes - ABI_PAGE_HEADER);
	/* Complete the loads of the page's words before ring_head() loads the position
	 * [ring.lap] */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	if (ring_head(view, &head) || seq < ring_oldest(view, &head))
		return -ESTALE;
	return 0;
}

int ring_stats(const struct ring_view *view, struct ring_stats *ret_stats)
{
	struct abi_ring_read state = read_state(view);

	for (int i = 0; i < STALE_MAX; i++) {
		struct ring_stats stats = { .read = state.read };
		uint64_t start = state.entries, entries, bytes, time;
		struct ring_head head;
		uint64_t seq;

		if (ring_head(view, &head))
			continue;
		seq = min_u64(state.page, head.page);
		if (seq < ring_oldest(view, &head)) {
			seq = ring_oldest(view, &head);
			if (page_summary(view, seq, &start, &bytes, &time))
				continue;
		}
		entries = start > state.entries ? start - state.entries : 0;
		stats.overrun = state.lost + entries;
		stats.unreported = state.unreported + entries;
		stats.entries = head.entries > start ? head.entries - start : 0;
		stats.dropped = head.dropped - state.cleared_dropped;
		stats.pages = head.page - seq + 1;
		if ((seq < head.page || head.is_open) &&
		    !page_summary(view, seq, &entries, &bytes, &time))
			stats.oldest_ns = time;
		*ret_stats = stats;
		return 0;
	}
	return -EAGAIN;
}

uint64_t ring_unread_bytes(const struct ring_view *view)
{
	struct abi_ring_read state = read_state(view);
	uint64_t entries, bytes, time, sum, seq;
	struct ring_head head;

	if (ring_head(view, &head))
		return 0;
	seq = min_u64(state.page, head.page);
	if (seq < ring_oldest(view, &head)) {
		seq = ring_oldest(view, &head);
		state.offset = 0;
	}
	sum = head.bytes;
	for (; seq < head.page; seq++)
		if (!page_summary(view, seq, &entries, &bytes, &time))
			sum += bytes;
	return sum - min_u64(sum, state.offset);
}
