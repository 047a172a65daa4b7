/* SPDX-License-Identifier: MIT */
/*
 * Lengths that are negative, huge, or just too large: a record is whole, or it is counted and
 * no part of it is recorded.  The address sanitizer finds writes outside of the record.  The
 * test runs with rseq, and a second time without.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <limits.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/self.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "misuse_trace.h"

/* Space in a record, besides its head and the words of its dynamic fields. */
#define ROOM		(4060 - 8)
#define ROOM_ONE	(ROOM - 4)

static const long lengths[] = {
	0, 1, 2, 3, 4, 5, 7, 8, 9, 63, 64, 100, 255, 256, 500, 505, 506, 507,
	1000, 2000, 2020, 2023, 4000, ROOM_ONE - 5, ROOM_ONE - 4, ROOM_ONE - 1,
	ROOM_ONE, ROOM_ONE + 1, ROOM, 4059, 4060, 4061, 4080, 4096, 8192,
	65535, 65536, 65537, 1 << 20, INT_MAX, 1l << 31, 1l << 32,
	(1l << 32) + 8, 1l << 60, (1l << 60) + 1, 1l << 61, (1l << 61) + 1,
	(1l << 61) + 100, LONG_MAX - 8, LONG_MAX, LONG_MIN, LONG_MIN + 1,
	LONG_MIN + 100, INT_MIN, -65536, -4096, -4061, -100, -16, -9, -8, -7,
	-4, -3, -2, -1,
};
#define NR_LENGTHS (sizeof(lengths) / sizeof(lengths[0]))

static struct driver d;

/* Returns the number of records that `stats' shows as dropped. */
static uint64_t nr_dropped(void)
{
	uint64_t nr = 0;

	for (uint32_t cpu = 0; cpu < d.control->nr_cpus; cpu++) {
		for (int kind = 0; kind <= ABI_RING_SLOW; kind++)
			nr += driver_ring(&d, cpu, kind)->dropped;
	}
	return nr;
}

static bool fits(long nr, long size, long room)
{
	return nr >= 0 && nr <= room / size;
}

static void check_list(const struct trace_record *record, const char *field,
		       long bytes)
{
	uint32_t nr;
	const char *list = trace_bytes(&d, record, field, &nr);

	CHECK_EQ(nr, bytes);
	for (uint32_t i = 0; i < nr; i++)
		CHECK_EQ(list[i], 1);
}

/* Returns the record of the last hit.  If not @is_there, the hit must be counted instead. */
static const struct trace_record *last(struct trace *trace, bool is_there)
{
	static uint64_t before;

	trace_read(&d, trace);
	CHECK_EQ(trace->nr, is_there);
	CHECK_EQ(nr_dropped(), before + !is_there);
	CHECK_EQ(trace_buffer(&d)->too_big, nr_dropped());
	before = nr_dropped();
	return is_there ? &trace->records[0] : NULL;
}

static void test_one(long nr)
{
	const struct trace_record *record;
	struct trace trace;

	trace_misuse_bytes(nr);
	record = last(&trace, fits(nr, 1, ROOM_ONE));
	if (record)
		check_list(record, "list", nr);
	trace_free(&trace);
	trace_misuse_longs(nr);
	record = last(&trace, fits(nr, 8, ROOM_ONE));
	if (record)
		check_list(record, "list", nr * 8);
	trace_free(&trace);
}

static void test_two(long nr, long nr_shorts)
{
	long room = ROOM - 3 * 4 - 4;
	const struct trace_record *record;
	struct trace trace;

	trace_misuse_two(nr, nr_shorts);
	record = last(&trace, fits(nr, 1, room) &&
			      fits(nr_shorts, 2, room - nr));
	if (record) {
		check_list(record, "list", nr);
		check_list(record, "shorts", nr_shorts * 2);
		CHECK_STR(trace_string(&d, record, "end"), "end");
	}
	trace_free(&trace);
}

static void test_string(const char *measured, const char *assigned,
			const char *text)
{
	const struct trace_record *record;
	struct trace trace;

	trace_misuse_string(measured, assigned);
	record = last(&trace, true);
	CHECK_STR(trace_string(&d, record, "text"), text);
	CHECK_STR(trace_string(&d, record, "end"), "end");
	trace_free(&trace);
}

static void run(void)
{
	static const char *const names[] = {
		"misuse_bytes", "misuse_longs", "misuse_two", "misuse_string",
	};

	trace_open(&d, getpid());
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		CHECK_EQ(driver_enable(&d, "misuse", names[i], true), 0);
	for (size_t i = 0; i < NR_LENGTHS; i++) {
		test_one(lengths[i]);
		for (size_t j = 0; j < NR_LENGTHS; j++)
			test_two(lengths[i], lengths[j]);
	}
	test_string(NULL, NULL, "(null)");
	test_string("a longer one", NULL, "(null)");
	test_string(NULL, "short", "short");
	test_string("", "more than there is room for", "");
	/* While recording is off, records that cannot be recorded are not counted. */
	trace_buffer(&d)->stopped = 1;
	trace_misuse_bytes(-1);
	CHECK_EQ(trace_buffer(&d)->too_big, nr_dropped());
	driver_close(&d);
}

static int without_rseq(int argc, char **argv)
{
	(void)argc;
	(void)argv;
	run();
	return 0;
}

static const struct self_role roles[] = {
	{ "without_rseq", without_rseq },
	{ NULL, NULL },
};

int main(int argc, char **argv)
{
	struct self self;

	self_role(argc, argv, roles);
	run();
	setenv("GLIBC_TUNABLES", "glibc.pthread.rseq=0", 1);
	self = self_start("without_rseq", NULL);
	CHECK_EQ(self_wait(&self), 0);
	return 0;
}
