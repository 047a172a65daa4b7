/* SPDX-License-Identifier: MIT */
/*
 * Read pages: copy a page, then check that the writers have not lapped the reader
 * meanwhile.
 *
 * The page with sequence number s is in slot s mod nr_pages until the position enters page s +
 * nr_pages.  The close that moves the position to that page is committed before any
 * byte of the slot changes [ring.lap].  So if the position is still before that page
 * after the copy, the copy has exactly the committed records.
 *
 * This code stores nothing to the ring and trusts nothing that it loads: ring_view_init()
 * has checked and copied the geometry, and each length is checked where it is used.  A
 * broken writer can make a reader see nonsense or nothing.  It cannot make the reader
 * hang, because every retry is counted.  Nor can it make the reader access memory
 * outside of the ring.
 */
#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "base/testpoint.h"
#include "ring/ring.h"

#define RETRIES		1000

static uint64_t load_word(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

static uint64_t load_position(const struct ring_view *view)
{
	/* acquire: the records before the position are complete.  Pairs with the release in
	 * append.S and write.c [ring.commit] */
	return __atomic_load_n(&view->ring->position, __ATOMIC_ACQUIRE);
}

int ring_view_init(struct ring_view *view, void *mem, uint64_t bytes)
{
	struct abi_ring *ring = mem;
	uint64_t need;

	if (bytes < sizeof(*ring))
		return -EBADMSG;
	*view = (struct ring_view){
		.ring = ring,
		.page_bytes = __atomic_load_n(&ring->page_bytes, __ATOMIC_RELAXED),
		.nr_pages = __atomic_load_n(&ring->nr_pages, __ATOMIC_RELAXED),
		.cpu = __atomic_load_n(&ring->cpu, __ATOMIC_RELAXED),
		.flags = __atomic_load_n(&ring->flags, __ATOMIC_RELAXED),
	};
	need = ring_bytes(view->page_bytes, view->nr_pages);
	if (!need || need > bytes)
		return -EBADMSG;
	view->pages_off = need - (uint64_t)view->page_bytes * view->nr_pages;
	return 0;
}

int ring_head(const struct ring_view *view, struct ring_head *ret_head)
{
	for (int i = 0; i < RETRIES; i++) {
		uint64_t position = load_position(view);
		uint32_t copy = position & ABI_POS_FLAGS;
		uint32_t offset = position & (view->page_bytes - 1) &
				  ~ABI_POS_FLAGS;
		struct ring_head head = {
			.page = position / view->page_bytes,
			.bytes = offset < ABI_PAGE_HEADER ?
				 0 : offset - ABI_PAGE_HEADER,
			.is_open = offset >= ABI_PAGE_HEADER,
			.entries = load_word(&view->ring->entries[copy]),
			.time_ns = load_word(&view->ring->time_ns[copy]),
			.dropped = load_word(&view->ring->dropped),
		};

		/* Complete the loads of entries[copy] and time_ns[copy] before the
		 * position is loaded again: if a writer has changed these elements
		 * meanwhile, the position differs [ring.copy] */
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (load_word(&view->ring->position) == position) {
			*ret_head = head;
			return 0;
		}
	}
	return -EAGAIN;
}

uint64_t ring_oldest(const struct ring_view *view, const struct ring_head *head)
{
	return head->page < view->nr_pages ?
	       0 : head->page - view->nr_pages + 1;
}

/* Copy @bytes bytes word by word, because writers may change the page at the same time. */
static void copy_page_words(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += 8) {
		uint64_t word = load_word((const uint64_t *)(const void *)(from + i));

		memcpy(to + i, &word, 8);
	}
}

static bool is_page_lapped(const struct ring_view *view, uint64_t seq)
{
	/* Complete the loads of copy_page_words() before the position is loaded again
	 * [ring.lap] */
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return load_word(&view->ring->position) / view->page_bytes - seq >=
	       view->nr_pages;
}

int ring_page_read(const struct ring_view *view, uint64_t seq,
		   struct ring_page *ret_page)
{
	const uint8_t *mem = (const uint8_t *)view->ring;
	const struct abi_ring_page *table =
		(const void *)(mem + ABI_RING_PAGES_AT);
	uint64_t slot = seq % view->nr_pages;
	const uint8_t *page = mem + view->pages_off + slot * view->page_bytes;
	uint32_t room = view->page_bytes - ABI_PAGE_HEADER;
	struct ring_head head;
	uint64_t bytes, entries;
	int r = ring_head(view, &head);

	if (r)
		return r;
	if (seq > head.page || (seq == head.page && !head.is_open))
		return -EAGAIN;
	if (seq < ring_oldest(view, &head))
		return -ESTALE;
	bytes = seq == head.page ?
		head.bytes : load_word((const uint64_t *)(const void *)(page + 8));
	bytes = min_u64(bytes, room);
	entries = load_word(&table[slot].entries);
	copy_page_words(ret_page->data, page,
			ALIGN_UP(ABI_PAGE_HEADER + (uint32_t)bytes, 8u));
	TESTPOINT("ring.read.copied");
	if (is_page_lapped(view, seq))
		return -ESTALE;

	memcpy(ret_page->data + 8, &bytes, 8);
	memset(ret_page->data + ABI_PAGE_HEADER + bytes, 0, room - bytes);
	memcpy(&ret_page->time_ns, ret_page->data, 8);
	ret_page->seq = seq;
	ret_page->entries = entries;
	ret_page->bytes = (uint32_t)bytes;
	ret_page->is_open = seq == head.page;
	return 0;
}

static uint32_t page_word_at(const struct ring_page *page, uint32_t offset)
{
	uint32_t word;

	memcpy(&word, page->data + ABI_PAGE_HEADER + offset, 4);
	return word;
}

int ring_record_next(const struct ring_page *page, uint32_t *offset,
		     uint64_t *time_ns, struct ring_record *ret_record)
{
	while (*offset < page->bytes) {
		uint32_t left = page->bytes - *offset;
		uint32_t word, type_len, head = 4, bytes;
		uint64_t delta;

		if (left < 8)
			return -EBADMSG;	/* even the shortest record has 8
						 * bytes, so this data is corrupt */
		word = page_word_at(page, *offset);
		type_len = word & ((1u << ABI_REC_TYPE_BITS) - 1);
		delta = word >> ABI_REC_TYPE_BITS;
		switch (type_len) {
		case ABI_REC_PADDING:
			*offset = page->bytes;
			return 0;
		case ABI_REC_TIME_EXTEND:
		case ABI_REC_TIME_STAMP:
			delta += (uint64_t)page_word_at(page, *offset + 4)
				 << ABI_REC_DELTA_BITS;
			*time_ns = type_len == ABI_REC_TIME_STAMP ?
				   delta : *time_ns + delta;
			*offset += 8;
			continue;
		case 0:
			bytes = page_word_at(page, *offset + 4);
			if (bytes < 4 || bytes > left - 4 || bytes % 4)
				return -EBADMSG;
			bytes -= 4;
			head = 8;
			break;
		default:
			bytes = type_len * 4;
			if (bytes > left - 4)
				return -EBADMSG;
			break;
		}
		*time_ns += delta;
		*ret_record = (struct ring_record){
			.time_ns = *time_ns,
			.data = page->data + ABI_PAGE_HEADER + *offset + head,
			.bytes = bytes,
			.offset = *offset,
		};
		*offset += head + bytes;
		return 1;
	}
	return 0;
}
