/* SPDX-License-Identifier: MIT */
/*
 * Records that are handed to a reader when the server is killed: what the ring says about
 * them, how the next server handles them, and receipts.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>

#include "base/bits.h"
#include "server/rings/receipt.h"
#include "unit/ring_memory.h"

#define BYTES	100		/* size of a record; a page has 39 records */

static void write_records(struct ring_memory *m, uint32_t first, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		ring_memory_write(m, first + i, BYTES);
}

/* Move past @nr records, each of which must be there. */
static void advance(struct ring_cursor *cursor, uint32_t nr)
{
	struct ring_record record;

	while (nr--) {
		assert_int_equal(ring_cursor_peek(cursor, &record), 1);
		ring_cursor_advance(cursor, &record);
	}
}

/* The next server must get record @number first, after @lost lost ones. */
static void expect_next(struct ring_memory *m, uint32_t number, uint64_t lost)
{
	struct ring_cursor cursor;
	struct ring_record record;

	assert_int_equal(ring_cursor_init(&cursor, &m->view), 0);
	assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
	ring_memory_check(&record, number, BYTES);
	assert_int_equal(cursor.lost, lost);
	ring_cursor_done(&cursor);
}

static void start(struct ring_memory *m, struct ring_cursor *cursor, bool overwrite)
{
	struct ring_config config = ring_memory_config(overwrite);

	ring_memory_init(m, &config);
	write_records(m, 0, 100);
	assert_int_equal(ring_cursor_init(cursor, &m->view), 0);
}

static void done(struct ring_memory *m, struct ring_cursor *cursor)
{
	ring_cursor_done(cursor);
	ring_memory_done(m);
}

/* ---- one offer ---- */

static void an_offer_ends_as_its_outcome_says(void **state)
{
	static const struct {
		enum ring_outcome outcome;
		uint32_t next;
		uint64_t lost, read, read_page;
	} cases[] = {
		{ RING_IN_DOUBT, 50, 40, 50, 1 },
		{ RING_TAKEN, 50, 0, 50, 1 },
		{ RING_NOT_TAKEN, 10, 0, 10, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ring_cursor cursor;
		struct ring_memory m;
		struct ring_stats stats;

		start(&m, &cursor, false);
		advance(&cursor, 10);
		ring_cursor_consume(&cursor);
		advance(&cursor, 40);
		assert_int_equal(ring_offer_ticket(&m.view), 0);
		ring_cursor_offer(&cursor, 7);
		assert_int_equal(ring_offer_ticket(&m.view), 7);
		/* Until then nothing has changed for readers and writers. */
		expect_next(&m, 10, 0);
		assert_int_equal(m.ring->read_page, 0);
		ring_settle(&m.view, cases[i].outcome);
		expect_next(&m, cases[i].next, cases[i].lost);
		assert_int_equal(ring_offer_ticket(&m.view), 0);
		assert_int_equal(m.ring->read_page, cases[i].read_page);
		assert_int_equal(ring_stats(&m.view, &stats), 0);
		assert_int_equal(stats.read, cases[i].read);
		assert_int_equal(stats.read + stats.entries, 100);
		assert_int_equal(stats.unreported, cases[i].lost);
		/* a second call changes nothing */
		ring_settle(&m.view, RING_IN_DOUBT);
		expect_next(&m, cases[i].next, cases[i].lost);
		done(&m, &cursor);
	}
}

/* Several servers die in doubt: the numbers add up until a line has reported them. */
static void doubts_add_up(void **state)
{
	struct ring_cursor cursor;
	struct ring_memory m;

	(void)state;
	start(&m, &cursor, true);
	for (uint32_t i = 1; i <= 3; i++) {
		advance(&cursor, 10);
		ring_cursor_offer(&cursor, 0);
		ring_settle(&m.view, RING_IN_DOUBT);
		expect_next(&m, i * 10, i * 10);
		ring_cursor_done(&cursor);
		assert_int_equal(ring_cursor_init(&cursor, &m.view), 0);
	}
	advance(&cursor, 1);
	ring_cursor_consume(&cursor);
	expect_next(&m, 31, 0);
	done(&m, &cursor);
}

/* An overrun that no reader has seen is reported to the next server's reader. */
static void an_overrun_is_reported_once(void **state)
{
	struct ring_cursor cursor;
	struct ring_record record;
	struct ring_memory m;
	uint64_t lost;

	(void)state;
	start(&m, &cursor, true);
	advance(&cursor, 39);
	ring_cursor_consume(&cursor);
	write_records(&m, 100, 300);
	assert_int_equal(ring_cursor_peek(&cursor, &record), 1);
	lost = cursor.lost;
	assert_true(lost > 100);
	/* The reader has looked at it, but has not handed it out. */
	ring_cursor_consume(&cursor);
	expect_next(&m, 39 + (uint32_t)lost, lost);
	advance(&cursor, 1);
	ring_cursor_offer(&cursor, 0);
	ring_settle(&m.view, RING_IN_DOUBT);
	expect_next(&m, 40 + (uint32_t)lost, lost + 1);
	done(&m, &cursor);
}

static void returned_records_are_there_again(void **state)
{
	struct abi_ring_read after;
	struct ring_cursor cursor;
	struct ring_memory m;

	(void)state;
	start(&m, &cursor, true);
	advance(&cursor, 20);
	ring_cursor_consume(&cursor);
	advance(&cursor, 20);
	ring_cursor_consume(&cursor);
	ring_cursor_return(&cursor);
	expect_next(&m, 20, 0);
	/* The server has stopped, so the records are reported. */
	ring_cursor_done(&cursor);
	assert_int_equal(ring_cursor_init(&cursor, &m.view), 0);
	advance(&cursor, 20);
	ring_cursor_consume(&cursor);
	after = ring_read_state(&m.view);
	ring_cursor_doubt(&cursor, &after);
	expect_next(&m, 40, 20);
	done(&m, &cursor);
}

/* The server was killed between the two stores of a consume: writers get their pages later. */
static void pages_are_given_back_late(void **state)
{
	struct ring_cursor cursor;
	struct ring_memory m;

	(void)state;
	start(&m, &cursor, false);
	advance(&cursor, 50);
	ring_cursor_consume(&cursor);
	m.ring->read_page = 0;
	ring_settle(&m.view, RING_IN_DOUBT);
	assert_int_equal(m.ring->read_page, 1);
	expect_next(&m, 50, 0);
	done(&m, &cursor);
}

/* ---- words that the program has changed ---- */

static void impossible_offers_are_withdrawn(void **state)
{
	static const struct {
		size_t word;
		uint64_t value;
	} cases[] = {
		{ offsetof(struct abi_ring_read, page), 0 },	/* backwards */
		{ offsetof(struct abi_ring_read, page), 3 },	/* not written yet */
		{ offsetof(struct abi_ring_read, page), ~0ull },
		{ offsetof(struct abi_ring_read, offset), 4096 },
		{ offsetof(struct abi_ring_read, offset), ~0ull },
		{ offsetof(struct abi_ring_read, read), 1 },
		{ offsetof(struct abi_ring_read, lost), 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ring_cursor cursor;
		struct ring_memory m;
		char *offered;

		start(&m, &cursor, true);
		advance(&cursor, 45);
		cursor.lost_count = 1;
		ring_cursor_consume(&cursor);
		advance(&cursor, 10);
		ring_cursor_offer(&cursor, 1);
		offered = (char *)&m.ring->read[~m.ring->read_slot & 1];
		memcpy(offered + cases[i].word, &cases[i].value, 8);
		ring_settle(&m.view, RING_TAKEN);
		expect_next(&m, 45, 0);
		assert_int_equal(m.ring->read_slot & ~1u, 0);
		done(&m, &cursor);
	}
}

/* ---- receipts ---- */

/* In a server of its own, which ends at once: hand a byte over, or only begin to. */
static void run_server(const char *dir, struct ring_cursor *cursor, int fd)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		receipt_init(dir);
		ring_cursor_offer(cursor, receipt_begin());
		if (fd >= 0 && receipt_send(fd, "x") != 1)
			_exit(1);
		_exit(receipt_ticket() == 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void receipts_say_what_was_sent(void **state)
{
	char dir[] = "/tmp/ulf-receipts.XXXXXX", path[64], byte;
	struct ring_cursor one, two, three;
	struct ring_memory a, b, c;
	int pair[2];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/server.receipts", dir);
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	start(&a, &one, true);
	start(&b, &two, true);
	start(&c, &three, true);
	advance(&one, 10);
	advance(&two, 10);
	advance(&three, 10);
	run_server(dir, &one, pair[0]);
	run_server(dir, &two, -1);
	run_server(dir, &three, pair[0]);
	/* Three servers later everything is known. */
	receipt_init(dir);
	receipt_settle(&a.view);
	receipt_settle(&b.view);
	expect_next(&a, 10, 0);
	expect_next(&b, 0, 0);
	receipt_done();
	assert_int_equal(read(pair[1], &byte, 1), 1);
	assert_int_equal(read(pair[1], &byte, 1), 1);
	/* With another file nothing is known. */
	assert_int_equal(unlink(path), 0);
	receipt_init(dir);
	receipt_settle(&c.view);
	expect_next(&c, 10, 10);
	receipt_done();
	/* Without a file there are no tickets. */
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	receipt_init(dir);
	assert_int_equal(receipt_begin(), 0);
	assert_int_equal(receipt_send(pair[0], "x"), -ENOSYS);
	receipt_done();
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(dir), 0);
	close(pair[0]);
	close(pair[1]);
	done(&a, &one);
	done(&b, &two);
	done(&c, &three);
}

/* A file with any contents is read without harm. */
static void strange_receipts(void **state)
{
	char dir[] = "/tmp/ulf-receipts.XXXXXX", path[64], bytes[4096];
	struct ring_cursor cursor;
	struct ring_memory m;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/server.receipts", dir);
	start(&m, &cursor, true);
	for (int i = 0; i < 256; i++) {
		int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		memset(bytes, i, sizeof(bytes));
		memcpy(bytes + 4, &(uint32_t){ 1 }, 4);
		assert_int_equal(write(fd, bytes, i % 2 ? 4096 : 100), i % 2 ? 4096 : 100);
		close(fd);
		receipt_init(dir);
		assert_int_not_equal(receipt_begin(), 0);
		receipt_settle(&m.view);
		expect_next(&m, 0, 0);
		receipt_done();
	}
	unlink(path);
	rmdir(dir);
	done(&m, &cursor);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_offer_ends_as_its_outcome_says),
		cmocka_unit_test(doubts_add_up),
		cmocka_unit_test(an_overrun_is_reported_once),
		cmocka_unit_test(returned_records_are_there_again),
		cmocka_unit_test(pages_are_given_back_late),
		cmocka_unit_test(impossible_offers_are_withdrawn),
		cmocka_unit_test(receipts_say_what_was_sent),
		cmocka_unit_test(strange_receipts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
