/* SPDX-License-Identifier: MIT */
/*
 * Shared memory may contain anything, and may change at any time.  Readers may see nonsense,
 * but they end, and they stay within the ring (there is no memory around it) and within their
 * own copies (run `make asan` to check these).  The server does so, too, when it writes.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <pthread.h>
#include <cmocka.h>

#include "base/bits.h"
#include "lib/record.h"
#include "unit/ring_memory.h"

#define ROUNDS		10000
#define WRITES		100000
#define HANG_SECONDS	100	/* SIGALRM ends the test then */

static uint64_t strange_value(uint64_t *random, uint64_t old)
{
	uint64_t any = (uint64_t)random_next(random) << 33 ^
		       random_next(random);

	switch (random_below(random, 9)) {
	case 0: return 0;
	case 1: return ~0ull;
	case 2: return 1ull << random_below(random, 64);
	case 3: return old + 4 * random_below(random, 5000);
	case 4: return old - 4 * random_below(random, 5000);
	case 5: return old ^ 1ull << random_below(random, 64);
	case 6: return any & 0xffff;
	case 7: return 0x8000000000000000ull | any;
	default: return any;
	}
}

static void write_some(struct ring_memory *m, uint64_t *random)
{
	uint32_t nr = random_below(random, 400);

	for (uint32_t i = 0; i < nr; i++) {
		m->now_ns += random_below(random, 50) ? 100 : 1u << 30;
		ring_memory_write(m, i, 1 + random_below(random,
							 i % 32 ? 130 : 4000));
	}
}

static void corrupt(struct ring_memory *m, uint64_t *random)
{
	uint64_t bytes = ring_bytes(m->view.page_bytes, m->view.nr_pages);
	uint32_t nr = 1 + random_below(random, 12);

	while (nr--) {
		static const uint32_t areas[] = { 64, 192, 512, 560, 0 };
		uint32_t area = areas[random_below(random, ARRAY_SIZE(areas))];
		uint64_t *words = (uint64_t *)m->ring;
		uint64_t i = random_below(random, area ? area / 8 :
					  (uint32_t)(bytes / 8));

		if (random_below(random, 2) && !area)
			i = (m->view.pages_off + 4096 *
			     random_below(random, m->view.nr_pages)) / 8 +
			    random_below(random, 8);
		words[i] = strange_value(random, words[i]);
	}
}

/* Call everything that a reader can call.  Returns the number of records found. */
static uint64_t read_all(struct ring_memory *m, uint64_t *random,
			 uint64_t *ret_sum)
{
	uint8_t data[4096];
	struct ring_page page = { .data = data };
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_stats stats;
	struct ring_head head;
	uint64_t nr = 0, sum = 0, limit;

	ring_stats(&m->view, &stats);
	if (!ring_head(&m->view, &head)) {
		uint64_t oldest = ring_oldest(&m->view, &head);

		for (uint64_t seq = oldest - 1; seq != oldest + 6; seq++)
			ring_page_read(&m->view, seq, &page);
	}
	ring_page_read(&m->view, strange_value(random, 3), &page);
	ring_settle(&m->view, random_below(random, 3));
	assert_int_equal(ring_cursor_init(&cursor, &m->view), 0);
	/* a record has at least 8 bytes, and the memory does not change */
	limit = (uint64_t)m->view.nr_pages * m->view.page_bytes / 8;
	while (ring_cursor_peek(&cursor, &record)) {
		/* read each byte, so that a sanitizer checks it */
		for (uint32_t i = 0; i < record.bytes; i++)
			sum += record.data[i];
		assert_in_range(record.data - cursor.page.data, 20, 4096);
		assert_in_range(record.data + record.bytes - cursor.page.data,
				20, 4096);
		ring_cursor_advance(&cursor, &record);
		assert_in_range(++nr, 0, limit);
	}
	ring_cursor_offer(&cursor, 1);
	ring_cursor_consume(&cursor);
	ring_cursor_return(&cursor);
	ring_cursor_done(&cursor);
	ring_clear(&m->view);
	ring_stats(&m->view, &stats);
	*ret_sum += sum;
	return nr;
}

static void corrupt_memory_is_survived(void **state)
{
	struct ring_config config = ring_memory_config(true);
	uint64_t random = 42, shown = 0, rejected = 0, corrupted = 0, sum = 0;
	uint64_t bytes = ring_bytes(config.page_bytes, config.nr_pages);

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++) {
		struct ring_memory m;

		ring_memory_init(&m, &config);
		write_some(&m, &random);
		corrupt(&m, &random);
		corrupted++;
		if (ring_view_init(&m.view, m.ring, bytes))
			rejected++;
		else if (m.view.page_bytes == config.page_bytes)
			shown += read_all(&m, &random, &sum);
		ring_memory_done(&m);
	}
	print_message("%llu rings, %llu rejected, %llu records shown\n",
		      (unsigned long long)corrupted,
		      (unsigned long long)rejected, (unsigned long long)shown);
	assert_true(shown > 0 && rejected > 0 && sum > 0);
}

/* ---- the server writes to the ring ---- */

/* Change one of the words that contain positions and the layout of the ring, but not the
 * lock, which would only make other writers wait.  Not sanitized, because this is a data race
 * on purpose. */
static __attribute__((no_sanitize_thread)) void
change_a_word(struct abi_ring *ring, uint64_t *random)
{
	uint64_t *word = (uint64_t *)ring +
			 random_below(random, offsetof(struct abi_ring, lock) / 8);
	uint64_t old = __atomic_load_n(word, __ATOMIC_RELAXED);

	__atomic_store_n(word, strange_value(random, old), __ATOMIC_RELAXED);
}

static int write_one(const struct ring_view *view, uint64_t *random)
{
	uint32_t buffer[2048] = { 0 };
	uint32_t bytes = 1 + random_below(random, random_below(random, 4) ?
					  200 : RING_PAYLOAD_MAX);

	return ring_view_write(view, buffer + 1, bytes, random_next(random),
			       (uint32_t)gettid());
}

static void a_ring_that_is_none_is_not_left(void **state)
{
	struct ring_config config = ring_memory_config(true);
	struct ring_memory m;
	uint64_t random = 3;

	(void)state;
	ring_memory_init(&m, &config);
	for (uint32_t i = 0; i < WRITES; i++) {
		change_a_word(m.ring, &random);
		write_one(&m.view, &random);
	}
	ring_memory_done(&m);
}

/* ---- memory that changes all the time ---- */

struct madman {
	struct ring_memory m;
	uint32_t stop;
	uint32_t kind;
	uint32_t pace;		/* from very fast to as slow as a reader */
};

static void *go_mad(void *arg)
{
	struct madman *mad = arg;
	struct abi_ring *ring = mad->m.ring;
	uint64_t random = 7;

	while (!__atomic_load_n(&mad->stop, __ATOMIC_RELAXED)) {
		uint64_t position = __atomic_load_n(&ring->position,
						    __ATOMIC_RELAXED);
		uint64_t next = position;

		switch (mad->kind) {
		case 0:		/* pages without end, and without records */
			next = position + 4096;
			break;
		case 1:		/* back and forth */
			next = strange_value(&random, position);
			break;
		default:	/* records that grow while they are read */
			next = (position & ~4095ull) + 4096 + 3000;
			break;
		}
		__atomic_store_n(&ring->position, next, __ATOMIC_RELEASE);
		for (uint32_t i = 0; i < mad->pace; i++)
			__builtin_ia32_pause();
	}
	return NULL;
}

static void fill_with(struct ring_memory *m, uint32_t word)
{
	uint32_t *words = (uint32_t *)((char *)m->ring + m->view.pages_off);

	for (uint32_t i = 0; i < m->view.nr_pages * 1024; i++)
		words[i] = i % 1024 == 2 ? 4080 : i % 1024 == 3 ? 0 : word;
}

/* Returns the number of records that the reader found. */
static uint64_t be_read(struct madman *mad, uint32_t word)
{
	struct ring_config config = ring_memory_config(true);
	uint64_t random = 1, shown = 0;
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_stats stats;
	pthread_t thread;

	ring_memory_init(&mad->m, &config);
	fill_with(&mad->m, word);
	mad->m.ring->position = 16;
	mad->stop = 0;
	assert_int_equal(pthread_create(&thread, NULL, go_mad, mad), 0);
	assert_int_equal(ring_cursor_init(&cursor, &mad->m.view), 0);
	for (uint32_t i = 0; i < 3000; i++) {
		if (ring_cursor_peek(&cursor, &record)) {
			assert_in_range(record.data + record.bytes -
					cursor.page.data, 16, 4096);
			ring_cursor_advance(&cursor, &record);
			shown++;
		}
		if (random_below(&random, 100) == 0)
			ring_stats(&mad->m.view, &stats);
		if (random_below(&random, 300) == 0)
			ring_clear(&mad->m.view);
	}
	ring_cursor_consume(&cursor);
	ring_cursor_done(&cursor);
	__atomic_store_n(&mad->stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	ring_memory_done(&mad->m);
	return shown;
}

static void a_mad_writer_does_not_hold_the_reader(void **state)
{
	/* garbage; padding; time extends without end; a length that is too large */
	static const uint32_t words[] = { 0, 0xffffffff, 29, 30, 0x7ffffffc };
	struct madman mad;
	uint64_t shown = 0;

	(void)state;
	for (uint32_t n = 0; n < 12 * ARRAY_SIZE(words); n++) {
		mad.kind = n % 3;
		mad.pace = n / 3 % 4 * 25;
		shown += be_read(&mad, words[n / 12]);
	}
	print_message("%llu records shown\n", (unsigned long long)shown);
}

static void *change_words(void *arg)
{
	struct madman *mad = arg;
	uint64_t random = 5;

	while (!__atomic_load_n(&mad->stop, __ATOMIC_RELAXED))
		change_a_word(mad->m.ring, &random);
	return NULL;
}

static void a_ring_that_changes_is_not_left(void **state)
{
	struct ring_config config = ring_memory_config(true);
	struct madman mad = { .stop = 0 };
	uint64_t random = 11, written = 0;
	pthread_t thread;

	(void)state;
	ring_memory_init(&mad.m, &config);
	assert_int_equal(pthread_create(&thread, NULL, change_words, &mad), 0);
	for (uint32_t i = 0; i < WRITES; i++)
		written += !write_one(&mad.m.view, &random);
	__atomic_store_n(&mad.stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	assert_true(written > 0);
	ring_memory_done(&mad.m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(corrupt_memory_is_survived),
		cmocka_unit_test(a_ring_that_is_none_is_not_left),
		cmocka_unit_test(a_mad_writer_does_not_hold_the_reader),
		cmocka_unit_test(a_ring_that_changes_is_not_left),
	};

	alarm(HANG_SECONDS);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
