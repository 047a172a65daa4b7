/* SPDX-License-Identifier: MIT */
/* A ring from ring_init() to its statistics, each case on both paths. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <cmocka.h>

#include "base/bits.h"
#include "unit/ring_memory.h"

#define EXTEND	(1ull << ABI_REC_DELTA_BITS)

/* ---- init ---- */

static void geometry_is_checked(void **state)
{
	static const struct {
		uint32_t page_bytes, nr_pages;
		uint64_t bytes;
	} cases[] = {
		{ 4096, 2, 3 * 4096 },
		{ 4096, 448, 449 * 4096 },	/* table: 512 + 448 * 8 = 4096 */
		{ 4096, 449, 451 * 4096 },
		{ 65536, 2, 3 * 65536 },
		{ 4096, 1, 0 },
		{ 4096, 0, 0 },
		{ 2048, 8, 0 },
		{ 131072, 8, 0 },
		{ 12288, 8, 0 },
		{ 0, 8, 0 },
	};
	char mem[512];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ring_config config = {
			.page_bytes = cases[i].page_bytes,
			.nr_pages = cases[i].nr_pages,
		};

		assert_int_equal(ring_bytes(config.page_bytes, config.nr_pages),
				 cases[i].bytes);
		if (!cases[i].bytes)
			assert_int_equal(ring_init(mem, &config), -EINVAL);
	}
}

static void view_needs_all_of_the_ring(void **state)
{
	struct ring_config config = ring_memory_config(true);
	struct ring_memory m;
	struct ring_view view;
	uint64_t bytes = ring_bytes(config.page_bytes, config.nr_pages);

	(void)state;
	ring_memory_init(&m, &config);
	assert_int_equal(ring_view_init(&view, m.ring, bytes), 0);
	assert_int_equal(view.page_bytes, 4096);
	assert_int_equal(view.nr_pages, 4);
	assert_int_equal(ring_view_init(&view, m.ring, bytes - 1), -EBADMSG);
	assert_int_equal(ring_view_init(&view, m.ring, 16), -EBADMSG);
	m.ring->nr_pages = 5;
	assert_int_equal(ring_view_init(&view, m.ring, bytes), -EBADMSG);
	m.ring->nr_pages = 0xffffffff;
	assert_int_equal(ring_view_init(&view, m.ring, bytes), -EBADMSG);
	m.ring->nr_pages = 4;
	m.ring->page_bytes = 4097;
	assert_int_equal(ring_view_init(&view, m.ring, bytes), -EBADMSG);
	ring_memory_done(&m);
}

/* ---- both paths ---- */

/* Run @body on a slow ring and on a fast ring. */
static void on_both_paths(struct ring_config config,
			  void (*body)(struct ring_memory *m))
{
	struct ring_memory m;

	config.flags |= ABI_RING_LOCKED;
	ring_memory_init(&m, &config);
	body(&m);
	ring_memory_done(&m);
	config.flags &= ~(uint32_t)ABI_RING_LOCKED;
	ring_memory_init(&m, &config);
	if (ring_memory_use_rseq(&m))
		body(&m);
	else
		print_message("no rseq: the fast path was not tried\n");
	ring_memory_done(&m);
}

static void write_and_read_back(struct ring_memory *m)
{
	struct ring_cursor cursor;
	struct ring_record record;
	uint32_t most = m->set ? RING_PAYLOAD_MAX : RING_PAYLOAD_MAX_SLOW;

	assert_int_equal(ring_cursor_init(&cursor, &m->view), 0);
	assert_int_equal(ring_memory_write(m, 1, 0), -EMSGSIZE);
	assert_int_equal(ring_memory_write(m, 1, most + 1), -EMSGSIZE);
	assert_int_equal(ring_cursor_peek(&cursor, &record), 0);
	for (uint32_t bytes = 1; bytes <= most; bytes++) {
		m->now_ns += 10;
		assert_int_equal(ring_memory_write(m, bytes * 77, bytes), 0);
		assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
		ring_memory_check(&record, bytes * 77, bytes);
		assert_int_equal(record.time_ns, m->now_ns);
		assert_int_equal(cursor.lost, 0);
		ring_cursor_advance(&cursor, &record);
		assert_int_equal(ring_cursor_peek(&cursor, &record), 0);
	}
	assert_false(cursor.is_corrupt);
	assert_int_equal(cursor.read_count, most);
	ring_cursor_done(&cursor);
}

static void every_length_is_read_back(void **state)
{
	struct ring_config config = ring_memory_config(true);

	(void)state;
	on_both_paths(config, write_and_read_back);
	config.page_bytes = 65536;
	config.nr_pages = 3;
	on_both_paths(config, write_and_read_back);
}

static void jump_in_time(struct ring_memory *m)
{
	static const uint64_t deltas[] = {
		0, 1, EXTEND - 1, EXTEND, EXTEND + 1, 5 * EXTEND + 7,
		(1ull << 58) + 12345, 0,
	};
	struct ring_cursor cursor;
	struct ring_record record;
	uint64_t last;

	assert_int_equal(ring_cursor_init(&cursor, &m->view), 0);
	for (size_t i = 0; i < ARRAY_SIZE(deltas); i++) {
		m->now_ns += deltas[i];
		assert_int_equal(ring_memory_write(m, 3, 12), 0);
		assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
		assert_int_equal(record.time_ns, m->now_ns);
		ring_cursor_advance(&cursor, &record);
	}
	/* the ring's time does not go back with the clock */
	last = m->now_ns;
	m->now_ns = 5;
	assert_int_equal(ring_memory_write(m, 3, 12), 0);
	assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
	assert_int_equal(record.time_ns, last);
	ring_cursor_done(&cursor);
}

static void time_is_exact_and_never_goes_back(void **state)
{
	(void)state;
	on_both_paths(ring_memory_config(true), jump_in_time);
}

static uint64_t time_of_next(struct ring_memory *m, struct ring_cursor *cursor)
{
	struct ring_record record;

	assert_int_equal(ring_memory_write(m, 3, 12), 0);
	assert_int_equal(ring_cursor_peek(cursor, &record), 1);
	ring_memory_check(&record, 3, 12);
	ring_cursor_advance(cursor, &record);
	return record.time_ns;
}

static void own_clock_never_goes_back(void **state)
{
	struct ring_config config = ring_memory_config(true);
	struct ring_cursor cursor;
	struct ring_memory m;
	uint64_t last;

	(void)state;
	config.flags = 0;
	config.clock_mult = 1ull << 32;
	config.clock_ns = 1ull << 50;
	ring_memory_init(&m, &config);
	if (!ring_memory_use_rseq(&m)) {
		print_message("no rseq here\n");
		skip();
	}
	assert_int_equal(ring_cursor_init(&cursor, &m.view), 0);
	last = time_of_next(&m, &cursor);
	m.ring->clock_ns -= 1ull << 50;
	assert_int_equal(time_of_next(&m, &cursor), last);
	m.ring->clock_ns += (1ull << 50) + EXTEND;
	assert_true(time_of_next(&m, &cursor) >= last + EXTEND);
	assert_true(time_of_next(&m, &cursor) >= last + EXTEND);
	ring_cursor_done(&cursor);
	ring_memory_done(&m);
}

/* Returns the number of bytes that are left in the open page. */
static uint32_t left_in_page(const struct ring_memory *m)
{
	struct ring_head head;

	assert_int_equal(ring_head(&m->view, &head), 0);
	return m->view.page_bytes - ABI_PAGE_HEADER - head.bytes;
}

/* Write records until exactly @left bytes of the page are left. */
static uint32_t fill_page(struct ring_memory *m, uint32_t left)
{
	uint32_t number = 0;

	do {
		assert_int_equal(ring_memory_write(m, number++, 8), 0);
	} while (left_in_page(m) > 600);
	while (left_in_page(m) > left + 400)
		assert_int_equal(ring_memory_write(m, number++, 100), 0);
	/* records so short have no length word; each has a header of 4 bytes */
	while (left_in_page(m) != left) {
		uint32_t rest = left_in_page(m) - left;

		assert_int_equal(ring_memory_write(m, number++, rest >= 116 ?
						   rest / 2 / 4 * 4 - 4 :
						   rest - 4), 0);
	}
	return number;
}

/* A record with a time extend that ends at the end of its page: of each page, also of the
 * last one, after which there is no memory. */
static void fill_to_the_end(struct ring_memory *m)
{
	struct ring_cursor cursor;
	struct ring_record record;
	uint64_t total = 0;

	assert_int_equal(ring_cursor_init(&cursor, &m->view), 0);
	for (uint32_t i = 0; i < 200; i++) {
		uint32_t bytes = 8 + i % 20 * 4;
		uint32_t nr = fill_page(m, bytes + 12 + i % 3 * 4);

		m->now_ns += 2 * EXTEND;
		assert_int_equal(ring_memory_write(m, 0xabcdef, bytes), 0);
		for (uint32_t n = 0; n < nr; n++) {
			assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
			assert_int_equal(cursor.lost, 0);
			ring_cursor_advance(&cursor, &record);
		}
		assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
		assert_int_equal(cursor.lost, 0);
		ring_memory_check(&record, 0xabcdef, bytes);
		assert_int_equal(record.time_ns, m->now_ns);
		ring_cursor_advance(&cursor, &record);
		assert_int_equal(ring_cursor_peek(&cursor, &record), 0);
		total += nr + 1;
	}
	assert_false(cursor.is_corrupt);
	assert_int_equal(cursor.entries, total);
	ring_cursor_done(&cursor);
}

static void record_at_the_very_end_of_a_page(void **state)
{
	(void)state;
	on_both_paths(ring_memory_config(true), fill_to_the_end);
}

/* ---- records that fill a page ---- */

static uint64_t position_of(const struct ring_memory *m)
{
	return m->ring->position & ~(uint64_t)ABI_POS_FLAGS;
}

static void large_is_read_back(void **state)
{
	struct ring_config config = ring_memory_config(true);
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_memory m;
	uint32_t number = 0;

	(void)state;
	ring_memory_init(&m, &config);
	assert_int_equal(ring_cursor_init(&cursor, &m.view), 0);
	assert_int_equal(ring_memory_write(&m, 1, RING_PAYLOAD_MAX_SLOW + 1), -EMSGSIZE);
	for (uint32_t bytes = RING_PAYLOAD_MAX + 1; bytes <= RING_PAYLOAD_MAX_SLOW; bytes++) {
		for (uint32_t small = 0; small < 3; small++) {
			/* The delta since the record before needs a time extend. */
			m.now_ns += 3 * EXTEND;
			if (small)
				assert_int_equal(ring_memory_write(&m, number, 8 * small), 0);
			else
				assert_int_equal(ring_memory_write(&m, number, bytes), 0);
			if (!small)
				assert_int_equal(position_of(&m) % 4096, 0);
			assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
			ring_memory_check(&record, number++, small ? 8 * small : bytes);
			assert_int_equal(record.time_ns, m.now_ns);
			assert_int_equal(cursor.lost, 0);
			ring_cursor_advance(&cursor, &record);
		}
	}
	assert_int_equal(ring_cursor_peek(&cursor, &record), 0);
	assert_int_equal(cursor.read_count, number);
	assert_false(cursor.is_corrupt);
	ring_cursor_done(&cursor);
	ring_memory_done(&m);
}

/* The commit word of a page with one large record says so, and has the number of records
 * before it. */
static void large_is_alone_on_its_page(void **state)
{
	struct ring_config config = ring_memory_config(true);
	uint8_t data[4096];
	struct ring_page page = { .data = data };
	struct ring_memory m;
	uint64_t commit;

	(void)state;
	ring_memory_init(&m, &config);
	assert_int_equal(ring_memory_write(&m, 1, 8), 0);
	assert_int_equal(ring_memory_write(&m, 2, RING_PAYLOAD_MAX_SLOW), 0);
	assert_int_equal(ring_memory_write(&m, 3, 8), 0);
	assert_int_equal(ring_page_read(&m.view, 0, &page), 0);
	assert_int_equal(page.bytes, 12);
	assert_int_equal(ring_page_read(&m.view, 1, &page), 0);
	memcpy(&commit, data + 8, 8);
	assert_int_equal(commit, 4080);
	assert_int_equal(page.bytes, 4080);
	assert_int_equal(page.entries, 1);
	assert_false(page.is_open);
	assert_int_equal(ring_page_read(&m.view, 2, &page), 0);
	assert_int_equal(page.bytes, 12);
	assert_int_equal(page.entries, 2);
	assert_true(page.is_open);
	ring_memory_done(&m);
}

static void read_one(struct ring_cursor *cursor, uint32_t number, uint32_t bytes,
		     uint64_t time_ns)
{
	struct ring_record record;

	assert_int_equal(ring_cursor_peek(cursor, &record), 1);
	ring_memory_check(&record, number, bytes);
	assert_int_equal(record.time_ns, time_ns);
	ring_cursor_advance(cursor, &record);
}

/* Refused records leave nothing: after the reader has read everything, three pages are enough
 * for the next record. */
static void large_is_refused_while_full(void **state)
{
	struct ring_config config = ring_memory_config(false);
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_memory m;
	struct ring_stats stats;
	uint32_t bytes = RING_PAYLOAD_MAX_SLOW, refused = 0, read = 0;

	(void)state;
	config.nr_pages = 3;
	ring_memory_init(&m, &config);
	assert_int_equal(ring_cursor_init(&cursor, &m.view), 0);
	for (uint32_t i = 0; i < 50; i++) {
		uint32_t taken = 0;

		m.now_ns += EXTEND;
		if (i % 2) {
			assert_int_equal(ring_memory_write(&m, i, 8), 0);
			read_one(&cursor, i, 8, m.now_ns);
			ring_cursor_consume(&cursor);
			read++;
		}
		m.now_ns += EXTEND;
		while (!ring_memory_write(&m, i, bytes))
			taken++;
		assert_in_range(taken, 1, 2);
		assert_int_equal(ring_memory_write(&m, i, bytes), -ENOBUFS);
		refused += 2;
		for (uint32_t n = 0; n < taken; n++, read++)
			read_one(&cursor, i, bytes, m.now_ns);
		ring_cursor_consume(&cursor);
		assert_int_equal(ring_cursor_peek(&cursor, &record), 0);
	}
	assert_int_equal(ring_stats(&m.view, &stats), 0);
	assert_int_equal(stats.dropped, refused);
	assert_int_equal(stats.read, read);
	assert_int_equal(stats.overrun, 0);
	assert_int_equal(stats.entries, 0);
	assert_false(cursor.is_corrupt);
	ring_cursor_done(&cursor);
	ring_memory_done(&m);
}

/* A writer that was killed after its open leaves an open page without records.  The next large
 * record does not get that page's time. */
static void large_passes_over_a_page_of_a_killed_writer(void **state)
{
	struct ring_config config = ring_memory_config(true);
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_memory m;

	(void)state;
	ring_memory_init(&m, &config);
	assert_int_equal(ring_cursor_init(&cursor, &m.view), 0);
	assert_int_equal(ring_memory_write(&m, 1, 8), 0);
	/* Remove the record, by selecting a copy of the words that is still 0. */
	m.ring->entries[(m.ring->position & ABI_POS_FLAGS) ^ ABI_POS_RECORD] = 0;
	m.ring->position = (m.ring->position - 12) ^ ABI_POS_RECORD;
	assert_int_equal(position_of(&m), ABI_PAGE_HEADER);
	assert_int_equal(ring_cursor_peek(&cursor, &record), 0);
	m.now_ns += 5 * EXTEND;
	assert_int_equal(ring_memory_write(&m, 2, RING_PAYLOAD_MAX_SLOW), 0);
	assert_int_equal(position_of(&m), 2 * 4096);
	assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
	ring_memory_check(&record, 2, RING_PAYLOAD_MAX_SLOW);
	assert_int_equal(record.time_ns, m.now_ns);
	assert_int_equal(cursor.lost, 0);
	assert_false(cursor.is_corrupt);
	ring_cursor_done(&cursor);
	ring_memory_done(&m);
}

static void large_overruns_are_counted(void **state)
{
	struct ring_config config = ring_memory_config(true);
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_memory m;
	struct ring_stats stats;

	(void)state;
	ring_memory_init(&m, &config);
	assert_int_equal(ring_cursor_init(&cursor, &m.view), 0);
	for (uint32_t i = 0; i < 100; i++)
		assert_int_equal(ring_memory_write(&m, i, RING_PAYLOAD_MAX_SLOW - i % 12), 0);
	/* The position is at the start of page 100: its slot is free, but not open. */
	assert_int_equal(position_of(&m), 100 * 4096);
	assert_int_equal(ring_stats(&m.view, &stats), 0);
	assert_int_equal(stats.entries, 3);
	assert_int_equal(stats.overrun, 97);
	for (uint32_t i = 97; i < 100; i++) {
		assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
		assert_int_equal(cursor.lost, i == 97 ? 97 : 0);
		ring_memory_check(&record, i, RING_PAYLOAD_MAX_SLOW - i % 12);
		ring_cursor_advance(&cursor, &record);
	}
	assert_int_equal(ring_cursor_peek(&cursor, &record), 0);
	ring_cursor_done(&cursor);
	ring_memory_done(&m);
}

/* ---- overwrite, refusal, statistics ---- */

static void overrun(struct ring_memory *m)
{
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_stats stats;
	uint32_t expect;
	uint64_t lost;

	for (uint32_t i = 0; i < 5000; i++) {
		m->now_ns++;
		assert_int_equal(ring_memory_write(m, i, 40), 0);
	}
	assert_int_equal(ring_stats(&m->view, &stats), 0);
	assert_int_equal(stats.entries + stats.overrun, 5000);
	assert_in_range(stats.entries, 3 * 90, 4 * 93);
	assert_int_equal(stats.dropped, 0);
	assert_int_equal(ring_unread_bytes(&m->view), stats.entries * 44);
	assert_int_equal(stats.oldest_ns, 1000 + stats.overrun + 1);

	assert_int_equal(ring_cursor_init(&cursor, &m->view), 0);
	assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
	lost = cursor.lost;
	assert_int_equal(lost, stats.overrun);
	for (expect = (uint32_t)lost; ring_cursor_peek(&cursor, &record);
	     expect++) {
		ring_memory_check(&record, expect, 40);
		assert_int_equal(record.time_ns, 1001 + expect);
		ring_cursor_advance(&cursor, &record);
		assert_int_equal(cursor.lost, 0);
	}
	assert_int_equal(expect, 5000);
	ring_cursor_consume(&cursor);
	assert_int_equal(ring_stats(&m->view, &stats), 0);
	assert_int_equal(stats.entries, 0);
	assert_int_equal(ring_unread_bytes(&m->view), 0);
	assert_int_equal(stats.read + stats.overrun, 5000);
	assert_int_equal(stats.overrun, lost);
	ring_cursor_done(&cursor);
}

static void overrun_is_counted_to_the_record(void **state)
{
	(void)state;
	on_both_paths(ring_memory_config(true), overrun);
}

static void refusal(struct ring_memory *m)
{
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_stats stats;
	uint32_t written = 0, refused = 0, read = 0, number = 0;

	assert_int_equal(ring_cursor_init(&cursor, &m->view), 0);
	for (uint32_t round = 0; round < 20; round++) {
		while (!ring_memory_write(m, number, 52)) {
			number++;
			written++;
		}
		refused++;
		assert_int_equal(ring_memory_write(m, number, 52), -ENOBUFS);
		refused++;
		assert_int_equal(ring_stats(&m->view, &stats), 0);
		assert_int_equal(stats.dropped, refused);
		assert_int_equal(stats.overrun, 0);
		assert_int_equal(stats.entries, written - read);
		/* read a part, so that pages become free one by one */
		for (uint32_t i = 0; i < 100 + 20 * round; i++) {
			if (!ring_cursor_peek(&cursor, &record))
				break;
			assert_int_equal(cursor.lost, 0);
			ring_memory_check(&record, read++, 52);
			ring_cursor_advance(&cursor, &record);
		}
		ring_cursor_consume(&cursor);
	}
	while (ring_cursor_peek(&cursor, &record)) {
		ring_memory_check(&record, read++, 52);
		ring_cursor_advance(&cursor, &record);
	}
	assert_int_equal(read, written);
	ring_cursor_done(&cursor);
}

static void full_ring_refuses_and_counts(void **state)
{
	(void)state;
	on_both_paths(ring_memory_config(false), refusal);
}

/* Recording is switched off during a write: nothing is written, no page is lost. */
static void recording_off_changes_nothing(void **state)
{
	struct ring_config config = ring_memory_config(true);
	struct ring_memory m;
	uint64_t position;

	(void)state;
	ring_memory_init(&m, &config);
	if (!ring_memory_use_rseq(&m)) {
		print_message("no rseq here\n");
		skip();
	}
	for (uint32_t i = 0; i < 300; i++)
		assert_int_equal(ring_memory_write(&m, i, 60), 0);
	position = m.ring->position;
	ring_set_recording(m.ring, false);
	for (uint32_t bytes = 4; bytes <= RING_PAYLOAD_MAX; bytes += 8)
		assert_int_equal(ring_memory_write(&m, 1, bytes), -ECANCELED);
	assert_true(m.ring->position == position);
	ring_set_recording(m.ring, true);
	assert_int_equal(ring_memory_write(&m, 1, 60), 0);
	ring_memory_done(&m);
}

/* ---- cursors ---- */

static void consume_in_steps(struct ring_memory *m)
{
	struct ring_cursor cursor;
	struct ring_record record;
	uint32_t number = 0, expect = 0;

	for (uint32_t round = 0; round < 300; round++) {
		for (uint32_t i = 0; i < 1 + round % 40; i++) {
			m->now_ns += i % 7 ? 3 : EXTEND;
			assert_int_equal(ring_memory_write(m, number,
							   number % 90 + 4), 0);
			number++;
		}
		/* a new reader, as after the death of the last one */
		assert_int_equal(ring_cursor_init(&cursor, &m->view), 0);
		for (uint32_t i = 0; i < 1 + round % 41; i++) {
			if (!ring_cursor_peek(&cursor, &record))
				break;
			assert_int_equal(cursor.entries, expect);
			ring_memory_check(&record, expect, expect % 90 + 4);
			expect++;
			ring_cursor_advance(&cursor, &record);
		}
		if (expect == number)
			assert_int_equal(cursor.time_ns, m->now_ns);
		ring_cursor_consume(&cursor);
		ring_cursor_done(&cursor);
	}
	assert_in_range(expect, number - 100, number);
}

static void next_reader_goes_on_where_the_last_stopped(void **state)
{
	(void)state;
	on_both_paths(ring_memory_config(true), consume_in_steps);
}

/* The reader was killed between the copy and the flip, so the old position counts. */
static void half_written_place_is_not_looked_at(void **state)
{
	struct ring_config config = ring_memory_config(true);
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_memory m;

	(void)state;
	ring_memory_init(&m, &config);
	for (uint32_t i = 0; i < 10; i++)
		ring_memory_write(&m, i, 8);
	assert_int_equal(ring_cursor_init(&cursor, &m.view), 0);
	for (uint32_t i = 0; i < 4; i++) {
		assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
		ring_cursor_advance(&cursor, &record);
	}
	ring_cursor_consume(&cursor);
	ring_cursor_done(&cursor);
	memset(&m.ring->read[!(m.ring->read_slot & 1)], 0x5a,
	       sizeof(m.ring->read[0]));
	assert_int_equal(ring_cursor_init(&cursor, &m.view), 0);
	assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
	ring_memory_check(&record, 4, 8);
	ring_cursor_done(&cursor);
	ring_memory_done(&m);
}

static void clear_ring(struct ring_memory *m)
{
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_stats stats;

	for (uint32_t i = 0; i < 777; i++)
		assert_int_equal(ring_memory_write(m, i, 100), 0);
	assert_int_equal(ring_clear(&m->view), 0);
	assert_int_equal(ring_stats(&m->view, &stats), 0);
	assert_int_equal(stats.entries, 0);
	assert_int_equal(stats.overrun, 0);
	assert_int_equal(stats.read, 0);
	assert_int_equal(ring_unread_bytes(&m->view), 0);
	assert_int_equal(ring_cursor_init(&cursor, &m->view), 0);
	assert_int_equal(ring_cursor_peek(&cursor, &record), 0);
	for (uint32_t i = 0; i < 50; i++)
		assert_int_equal(ring_memory_write(m, i + 1000, 100), 0);
	assert_int_equal(ring_stats(&m->view, &stats), 0);
	assert_int_equal(stats.entries, 50);
	assert_int_equal(stats.overrun, 0);
	for (uint32_t i = 0; i < 50; i++) {
		assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
		assert_int_equal(cursor.lost, 0);
		ring_memory_check(&record, i + 1000, 100);
		ring_cursor_advance(&cursor, &record);
	}
	assert_int_equal(ring_cursor_peek(&cursor, &record), 0);
	ring_cursor_done(&cursor);
}

static void clear_forgets_everything_before(void **state)
{
	struct ring_config config = ring_memory_config(true);

	(void)state;
	on_both_paths(config, clear_ring);
}

/* ---- pages ---- */

static void read_pages(struct ring_memory *m)
{
	uint8_t data[4096];
	struct ring_page page = { .data = data };
	uint64_t commit, expect = 0;
	struct ring_head head;

	assert_int_equal(ring_page_read(&m->view, 0, &page), -EAGAIN);
	for (uint32_t i = 0; i < 500; i++)
		assert_int_equal(ring_memory_write(m, i, 100), 0);
	assert_int_equal(ring_head(&m->view, &head), 0);
	assert_int_equal(head.entries, 500);
	assert_int_equal(head.page, 500 / 39);
	assert_int_equal(ring_oldest(&m->view, &head), head.page - 3);
	assert_int_equal(ring_page_read(&m->view, head.page + 1, &page), -EAGAIN);
	assert_int_equal(ring_page_read(&m->view, head.page - 4, &page), -ESTALE);
	for (uint64_t seq = head.page - 3; seq <= head.page; seq++) {
		assert_int_equal(ring_page_read(&m->view, seq, &page), 0);
		assert_int_equal(page.seq, seq);
		assert_int_equal(page.entries, seq * 39);
		assert_int_equal(page.is_open, seq == head.page);
		memcpy(&commit, data + 8, 8);
		assert_int_equal(commit, page.bytes);
		assert_int_equal(page.bytes % 104, 0);
		for (uint32_t i = ABI_PAGE_HEADER + page.bytes; i < 4096; i++)
			assert_int_equal(data[i], 0);
		expect = page.entries + page.bytes / 104;
	}
	assert_int_equal(expect, 500);
}

static void pages_are_as_the_kernel_lays_them_out(void **state)
{
	(void)state;
	on_both_paths(ring_memory_config(true), read_pages);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(geometry_is_checked),
		cmocka_unit_test(view_needs_all_of_the_ring),
		cmocka_unit_test(every_length_is_read_back),
		cmocka_unit_test(time_is_exact_and_never_goes_back),
		cmocka_unit_test(own_clock_never_goes_back),
		cmocka_unit_test(record_at_the_very_end_of_a_page),
		cmocka_unit_test(large_is_read_back),
		cmocka_unit_test(large_is_alone_on_its_page),
		cmocka_unit_test(large_is_refused_while_full),
		cmocka_unit_test(large_passes_over_a_page_of_a_killed_writer),
		cmocka_unit_test(large_overruns_are_counted),
		cmocka_unit_test(overrun_is_counted_to_the_record),
		cmocka_unit_test(full_ring_refuses_and_counts),
		cmocka_unit_test(recording_off_changes_nothing),
		cmocka_unit_test(next_reader_goes_on_where_the_last_stopped),
		cmocka_unit_test(half_written_place_is_not_looked_at),
		cmocka_unit_test(clear_forgets_everything_before),
		cmocka_unit_test(pages_are_as_the_kernel_lays_them_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
