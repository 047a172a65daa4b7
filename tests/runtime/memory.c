/* SPDX-License-Identifier: MIT */
/*
 * The memory that libulf uses: little while nothing is traced, and not more when the program
 * locks all of its memory, although gigabytes are mapped.
 *
 * no-sanitize: address the sanitizer's own memory is not to be locked
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define LOCKED_KB_MAX	(24 * 1024)
#define DORMANT_KB_MAX	48
#define THREAD_STACK_BYTES	(256 * 1024)

static long status_kb(const char *what)
{
	char line[256], format[64];
	long kb = -1;
	FILE *f = fopen("/proc/self/status", "re");

	CHECK(f);
	snprintf(format, sizeof(format), "%s: %%ld", what);
	while (fgets(line, sizeof(line), f))
		sscanf(line, format, &kb);
	fclose(f);
	CHECK(kb >= 0);
	return kb;
}

static long root_kb(struct driver *d)
{
	struct stat st;

	CHECK_EQ(fstat(d->fd, &st), 0);
	return st.st_blocks / 2;
}

/* Unknown flags behave as in the kernel: a call that has some locks nothing, and each call
 * sets anew what is locked in the future. */
static void test_flags(void)
{
	const int unknown = 8;
	long locked;
	void *mem;

	CHECK_EQ(mlockall(MCL_CURRENT | unknown), -1);
	CHECK_EQ(errno, EINVAL);
	CHECK_EQ(status_kb("VmLck"), 0);
	CHECK_EQ(mlockall(MCL_CURRENT | MCL_FUTURE), 0);
	CHECK_EQ(mlockall(MCL_CURRENT), 0);
	locked = status_kb("VmLck");
	mem = mmap(NULL, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(mem != MAP_FAILED);
	CHECK(status_kb("VmLck") < locked + 1024);
	CHECK_EQ(munmap(mem, 1 << 20), 0);
	CHECK_EQ(munlockall(), 0);
}

static bool is_enough;

static void *map_and_unmap(void *arg)
{
	while (!__atomic_load_n(&is_enough, __ATOMIC_RELAXED)) {
		void *mem[8];

		for (size_t i = 0; i < 8; i++)
			mem[i] = mmap(NULL, 8192 * (i + 1), i & 1 ? PROT_READ : PROT_NONE,
				      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		for (size_t i = 0; i < 8; i++)
			munmap(mem[i], 8192 * (i + 1));
	}
	return arg;
}

/* An unmapping at the same time must not make mlockall() lock all mapped memory. */
static void test_changes(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	/* The default stack alone is as large as an ordinary user's RLIMIT_MEMLOCK. */
	CHECK_EQ(pthread_attr_init(&attr), 0);
	CHECK_EQ(pthread_attr_setstacksize(&attr, THREAD_STACK_BYTES), 0);
	CHECK_EQ(pthread_create(&thread, &attr, map_and_unmap, NULL), 0);
	CHECK_EQ(pthread_attr_destroy(&attr), 0);
	for (int i = 0; i < 200; i++) {
		CHECK_EQ(mlockall(MCL_CURRENT), 0);
		if (status_kb("VmLck") > LOCKED_KB_MAX)
			fail("%ld KiB are locked", status_kb("VmLck"));
		CHECK_EQ(munlockall(), 0);
	}
	__atomic_store_n(&is_enough, true, __ATOMIC_RELAXED);
	CHECK_EQ(pthread_join(thread, NULL), 0);
}

int main(void)
{
	struct driver d;

	trace_rt_hit(1, 1);
	CHECK_EQ(driver_open(&d, getpid()), 0);
	if (root_kb(&d) > DORMANT_KB_MAX)
		fail("a dormant root has %ld KiB", root_kb(&d));
	driver_close(&d);	/* otherwise its mapping would be locked, too */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		skip("mlockall() fails: %s", strerror(errno));
	if (status_kb("VmLck") < 1024 || status_kb("VmLck") > LOCKED_KB_MAX ||
	    status_kb("VmRSS") > LOCKED_KB_MAX)
		fail("%ld KiB are in memory, %ld locked", status_kb("VmRSS"),
		     status_kb("VmLck"));
	CHECK_EQ(munlockall(), 0);
	test_flags();
	test_changes();

	/* Lock again, with rings, and without the mapping of this test. */
	CHECK_EQ(driver_open(&d, getpid()), 0);
	CHECK_EQ(driver_rings(&d, &trace_config), 0);
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	driver_close(&d);
	CHECK_EQ(mlockall(MCL_CURRENT | MCL_FUTURE), 0);
	trace_rt_hit(1, 2);
	if (status_kb("VmRSS") > LOCKED_KB_MAX)
		fail("%ld KiB are in memory", status_kb("VmRSS"));
	CHECK_EQ(munlockall(), 0);
	CHECK_EQ(driver_open(&d, getpid()), 0);
	CHECK_EQ(trace_drain(&d, "rt", "rt_hit"), 1);
	driver_close(&d);
	return 0;
}
