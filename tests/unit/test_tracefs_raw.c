/* SPDX-License-Identifier: MIT */
/* Pages of trace_pipe_raw, which libtraceevent reads, too. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <poll.h>
#include <kbuffer.h>
#include <cmocka.h>

#include "daemon/parts.h"
#include "unit/fake_root.h"
#include "unit/tree.h"

#define S	1000000000ull
#define RAW	"fake.1/per_cpu/cpu0/trace_pipe_raw"
#define FAST	ABI_RING_FAST
#define SLOW	ABI_RING_SLOW

struct fixture {
	char dir[128];
	struct fake_root root;
	struct server *server;
	uint32_t id;
	struct kbuffer *kbuffer;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	fake_dir_make(f->dir);
	fake_root_make(&f->root, f->dir, "fake.1");
	f->id = fake_event_n(&f->root, 0, "sched", "tick");
	fake_root_show(&f->root, "fake.1");
	f->kbuffer = kbuffer_alloc(KBUFFER_LSIZE_8, KBUFFER_ENDIAN_LITTLE);
	if (server_new(f->dir, &f->server) ||
	    tree_echo(f->server, "fake.1/trace_clock", "mono") ||
	    tree_echo(f->server, "fake.1/events/enable", "1"))
		return -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	kbuffer_free(f->kbuffer);
	server_free(f->server);
	fake_root_done(&f->root);
	fake_dir_remove(f->dir);
	free(f);
	return 0;
}

static void record(struct fixture *f, enum abi_ring_kind kind, int n, uint64_t time)
{
	assert_int_equal(fake_record(&f->root, 0, kind, f->id, 1, n, time), 0);
}

static struct tracefs_file *open_raw(struct fixture *f)
{
	struct tracefs_file *file;

	assert_int_equal(tree_open(f->server, RAW, O_RDONLY | O_NONBLOCK, &file), 0);
	return file;
}

/* Returns the n of the next record of the loaded page, or -1. */
static int next_n(struct fixture *f, bool is_first, unsigned long long *time)
{
	int32_t *data = is_first ? kbuffer_read_event(f->kbuffer, time) :
			kbuffer_next_event(f->kbuffer, time);

	if (!data)
		return -1;
	assert_int_equal(*(uint16_t *)data, f->id);
	return data[2];
}

/* Two records, 28 ms apart, must be the bytes that the kernel would write. */
static void page_has_the_kernels_bytes(void **state)
{
	static const uint32_t expected[] = {
		1000000000, 0, 32, 0,		/* time, commit */
		3, 33280, 1, 11,		/* three words, no delta */
		3 | 28000000u << 5, 33280, 1, 12,
		0, 0, 0, 0,
	};
	struct fixture *f = *state;
	struct tracefs_file *file = open_raw(f);
	char page[8192];

	record(f, FAST, 11, S);
	record(f, SLOW, 12, S + 28000000);
	assert_int_equal(tracefs_read(file, page, sizeof(page), 0), 4096);
	assert_memory_equal(page, expected, sizeof(expected));
	assert_int_equal(tracefs_read(file, page, sizeof(page), 0), -EAGAIN);
	tracefs_close(file);
}

/* One stream contains both rings of the CPU, across many pages. */
static void pages_hold_every_record_in_order(void **state)
{
	enum { NR = 5000 };
	struct fixture *f = *state;
	struct tracefs_file *file = open_raw(f);
	static char page[4096];
	unsigned long long time;
	int expected = 0, pages = 0;
	ssize_t n;

	/* before every 100th record a pause that needs a time extend */
	for (int i = 0; i < NR; i++)
		record(f, i % 3 ? FAST : SLOW, i, S + (uint64_t)(i + i / 100 * S));
	while ((n = tracefs_read(file, page, sizeof(page), 0)) > 0) {
		assert_int_equal(n, 4096);
		assert_int_equal(kbuffer_load_subbuffer(f->kbuffer, page), 0);
		assert_int_equal(kbuffer_missed_events(f->kbuffer), 0);
		for (int i = next_n(f, true, &time); i >= 0; i = next_n(f, false, &time)) {
			assert_int_equal(i, expected);
			assert_int_equal(time, S + (uint64_t)(i + i / 100 * S));
			expected++;
		}
		pages++;
	}
	assert_int_equal(n, -EAGAIN);
	assert_int_equal(expected, NR);
	assert_in_range(pages, NR * 16 / 4080, NR * 17 / 4000 + 2);
	tracefs_close(file);
}

static void lost_records_are_in_the_page(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file;
	static char page[4096], small[4096];
	unsigned long long time;
	int first, lost;

	assert_int_equal(tree_echo(f->server, "fake.1/buffer_size_kb", "4"), 0);
	for (int i = 0; i < 3000; i++)
		record(f, FAST, i, S + (uint64_t)i);
	file = open_raw(f);
	assert_int_equal(tracefs_read(file, page, sizeof(page), 0), 4096);
	assert_int_equal(kbuffer_load_subbuffer(f->kbuffer, page), 0);
	first = next_n(f, true, &time);
	assert_true(first > 2000);
	/* full except for the count */
	assert_int_equal(*(uint64_t *)(page + 8), 0xffffffffc0000000 | 4064);
	assert_int_equal(kbuffer_missed_events(f->kbuffer), first);
	/* overwrite the pages after this one; a page that was read stays */
	for (int i = 3000; i < 6000; i++)
		record(f, FAST, i, S + (uint64_t)i);
	first += 254;
	do {
		first += *(uint64_t *)(small + 8) / 16;
		assert_int_equal(tracefs_read(file, small, 200, 0), 200);
		assert_int_equal(kbuffer_load_subbuffer(f->kbuffer, small), 0);
		lost = next_n(f, true, &time) - first;
		tracefs_read(file, page, 4096, 0);
	} while (!lost);
	assert_int_equal(*(uint64_t *)(small + 8), 0xffffffffc0000000 | 176);
	assert_true(lost > 2000);
	assert_int_equal(kbuffer_missed_events(f->kbuffer), lost);
	tracefs_close(file);
}

/* As in the kernel, a read gets the records that fit, or nothing if none fits. */
static void small_reads(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file = open_raw(f);
	char page[4096];

	record(f, FAST, 1, S);
	record(f, FAST, 2, S + 1);
	record(f, FAST, 3, S + 2);
	assert_int_equal(tracefs_read(file, page, 10, 0), 0);
	assert_int_equal(tracefs_read(file, page, 31, 0), 0);
	assert_int_equal(tracefs_read(file, page, 50, 0), 50);
	assert_int_equal(*(uint64_t *)(page + 8), 32);	/* two of the records */
	assert_int_equal(tracefs_read(file, page, 4096, 0), 4046);
	assert_int_equal(tracefs_read(file, page, 4096, 0), 4096);
	assert_int_equal(*(uint64_t *)(page + 8), 16);
	assert_int_equal(tracefs_read(file, page, 4096, 0), -EAGAIN);
	tracefs_close(file);
}

/* For splice(): only full pages are returned, and nothing is consumed before. */
static void whole_pages(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file = open_raw(f);
	char page[8192];
	int nr = 0;

	assert_int_equal(tracefs_read_whole(file, page, 4096), -EAGAIN);
	for (nr = 0; nr < 255; nr++)
		record(f, FAST, nr, S + (uint64_t)nr);
	assert_int_equal(tracefs_read_whole(file, page, 4096), -EAGAIN);
	assert_non_null(strstr(tree_cat(f->server, "fake.1/trace"), ": 255/255 "));
	record(f, FAST, nr++, 2 * S);
	assert_int_equal(tracefs_read_whole(file, page, 4096), 4096);
	assert_int_equal(*(uint64_t *)(page + 8), 4080);
	assert_non_null(strstr(tree_cat(f->server, "fake.1/trace"), ": 1/1 "));
	/* an ordinary read gets the rest */
	assert_int_equal(tracefs_read_whole(file, page, 4096), -EAGAIN);
	assert_int_equal(tracefs_read(file, page, 8192, 0), 4096);
	assert_int_equal(*(uint64_t *)(page + 8), 16);
	tracefs_close(file);
}

/* Records that another reader has consumed are not returned again. */
static void two_readers_share(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *one = open_raw(f), *two = open_raw(f);
	char page[4096];

	record(f, FAST, 1, S);
	assert_int_equal(tracefs_read_whole(one, page, 4096), -EAGAIN);
	assert_int_equal(tracefs_read(two, page, 4096, 0), 4096);
	assert_int_equal(tracefs_read(one, page, 4096, 0), -EAGAIN);
	record(f, FAST, 2, S + 1);
	assert_int_equal(tracefs_read_whole(one, page, 4096), -EAGAIN);
	assert_non_null(strstr(tree_cat(f->server, "fake.1/trace_pipe"), "n=2"));
	assert_int_equal(tracefs_read(one, page, 4096, 0), -EAGAIN);
	assert_int_equal(tracefs_read(two, page, 4096, 0), -EAGAIN);
	record(f, FAST, 3, S + 2);
	assert_int_equal(tracefs_read_whole(one, page, 4096), -EAGAIN);
	assert_int_equal(tree_echo(f->server, "fake.1/trace", ""), 0);
	assert_int_equal(tracefs_read(one, page, 4096, 0), -EAGAIN);
	tracefs_close(one);
	tracefs_close(two);
}

static void poll_says_half_full(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file = open_raw(f);
	struct tracefs_node *node;
	struct stat st;

	assert_int_equal(tree_echo(f->server, "fake.1/buffer_size_kb", "40"), 0);
	for (int i = 0; i < 1000; i++)
		record(f, FAST, i, S + (uint64_t)i);
	assert_int_equal(tracefs_poll(file), 0);
	for (int i = 0; i < 600; i++)
		record(f, FAST, i, S + 1000 + (uint64_t)i);
	assert_int_equal(tracefs_poll(file), POLLIN | POLLRDNORM);
	tracefs_close(file);
	assert_int_equal(tracefs_walk(f->server, RAW, &node), 0);
	tracefs_stat(node, &st);
	assert_int_equal(st.st_size, 1ull << 62);
	tracefs_node_put(node);
}

/* A write of 0 to tracing_on waits for readers of trace_pipe_raw, but not for readers of a
 * snapshot. */
static void snapshots_are_not_waited_for(void **state)
{
	struct fixture *f = *state;
	struct tracefs_file *file, *on;
	size_t taken;

	record(f, FAST, 1, S);
	assert_int_equal(tree_open(f->server, "fake.1/per_cpu/cpu0/snapshot_raw",
				   O_RDONLY | O_NONBLOCK, &file), 0);
	tracefs_poll_start(file, 4711);
	assert_int_equal(tree_open(f->server, "fake.1/tracing_on", O_WRONLY, &on), 0);
	assert_int_equal(tracefs_write(on, "0", 1, getpid(), &taken), 1);
	tracefs_close(on);
	tracefs_close(file);
}

int main(void)
{
#define T(test)	cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(page_has_the_kernels_bytes),
		T(pages_hold_every_record_in_order),
		T(lost_records_are_in_the_page),
		T(small_reads),
		T(whole_pages),
		T(two_readers_share),
		T(poll_says_half_full),
		T(snapshots_are_not_waited_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
