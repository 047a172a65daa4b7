/* SPDX-License-Identifier: MIT */
/*
 * Measure the clock of perf's records.  No system call returns the time of this clock,
 * but each perf record contains it, and a thread makes a perf record by setting its
 * own name.  The time of the record lies between two readings of CLOCK_MONOTONIC_RAW.
 * Both clocks run at one rate, except for rounding: they drift apart by less than 0.1
 * us per second.  To correct this drift, the offset is measured once a second while
 * the clock is in use.
 */
#include "arch/arch.h"
#include "server/core/perf_clock.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "event/clock.h"
#include "server/core/shm.h"

#define TRIES		16
#define PAGE_BYTES	ARCH_PAGE_BYTES

/* Control page of the perf event that measures the clock.  Only the server's thread uses
 * the variables of the event.  The first call of perf_clock_is_there() sets them. */
static struct perf_event_mmap_page *page;
static const char *records;		/* memory page with the records of the perf event;
					 * mapped directly after @page */

bool perf_clock_is_there(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.comm = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	void *map;
	int fd;

	if (page)
		return true;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			  PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return false;
	map = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);			/* the perf event stays open without its
					 * descriptor, because it is mapped */
	if (map == MAP_FAILED)
		return false;
	page = map;
	records = (const char *)map + PAGE_BYTES;
	return true;
}

/* Make a perf record, by setting the thread's name to @name, and return the time of this
 * record.  The time is the last word of the newest record. */
static int record_time(const char *name, uint64_t *ret_ns)
{
	uint64_t tail = page->data_tail, head;

	prctl(PR_SET_NAME, name);
	head = shm_load(&page->data_head);
	shm_store(&page->data_tail, head);
	if (head == tail)
		return -EIO;
	*ret_ns = *(const uint64_t *)(records + (head - 8) % PAGE_BYTES);
	return 0;
}

/*
 * Measure the offset of perf's clock from CLOCK_MONOTONIC_RAW, ns.  The true offset lies
 * between *@ret_low and *@ret_low + *@ret_range.  Of several measurements the one with
 * the smallest range is taken.
 */
static int measure_offset(uint64_t *ret_low, uint64_t *ret_range)
{
	uint64_t range = UINT64_MAX, low = 0;
	char name[16];

	prctl(PR_GET_NAME, name);
	for (int i = 0; i < TRIES; i++) {
		uint64_t before = clock_posix_ns(CLOCK_MONOTONIC_RAW), after, ns;
		int r = record_time(name, &ns);

		if (r)
			return r;
		after = clock_posix_ns(CLOCK_MONOTONIC_RAW);
		if (after - before >= range)
			continue;
		range = after - before;
		low = ns - after;
	}
	*ret_low = low;
	*ret_range = range;
	return 0;
}

/* Update the offset of perf's clock.  If the old offset lies in the range that is
 * measured now, keep the old offset, so that times do not jump. */
int perf_clock_update(uint64_t *offset_ns)
{
	uint64_t low, range;
	int r;

	if (!perf_clock_is_there())
		return -EINVAL;
	r = measure_offset(&low, &range);
	if (!r && shm_load(offset_ns) - low > range)
		shm_store(offset_ns, low + range / 2);
	return r;
}
