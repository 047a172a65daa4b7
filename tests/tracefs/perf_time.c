/* SPDX-License-Identifier: MIT */
/*
 * Records an event between two records of perf, and prints the times of these.  For each line
 * that it reads, `say' or the path of a trace_marker, it prints:
 *
 *   perf's time before, perf's time after, in seconds
 *
 * The program makes a record of perf by a page fault.  It exits with 77 and a reason if the
 * kernel does not allow that.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ulf/printk.h>

#define PAGE		4096u
#define DATA_BYTES	(8 * PAGE)

static struct perf_event_mmap_page *perf;
static volatile char *touched;

static int perf_start(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TIME,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	void *map;

	if (fd < 0)
		return -errno;
	map = mmap(NULL, PAGE + DATA_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	perf = map;
	map = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		   -1, 0);
	if (map == MAP_FAILED)
		return -errno;
	touched = map;
	return 0;
}

/* A sample contains only the time. */
static uint64_t perf_time(void)
{
	const char *data = (const char *)perf + PAGE;
	uint64_t head;

	if (madvise((void *)touched, PAGE, MADV_DONTNEED))
		return 0;
	*touched = 1;
	head = __atomic_load_n(&perf->data_head, __ATOMIC_ACQUIRE);
	__atomic_store_n(&perf->data_tail, head, __ATOMIC_RELEASE);
	return *(const uint64_t *)(data + (head - 8) % DATA_BYTES);
}

static int record(const char *what)
{
	int fd, r;

	if (!strcmp(what, "say")) {
		trace_printk("between\n");
		return 0;
	}
	fd = open(what, O_WRONLY);
	if (fd < 0)
		return -errno;
	r = write(fd, "between", 7) == 7 ? 0 : -errno;
	close(fd);
	return r;
}

int main(void)
{
	char line[4096];
	int r = perf_start();

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (r) {
		printf("perf_event_open(): %s\n", strerror(-r));
		return 77;
	}
	puts("ready");
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t before, after;

		line[strcspn(line, "\n")] = 0;
		before = perf_time();
		r = record(line);
		after = perf_time();
		if (r) {
			fprintf(stderr, "%s: %s\n", line, strerror(-r));
			return 1;
		}
		printf("%.9f %.9f\n", (double)before / 1e9, (double)after / 1e9);
	}
	return 0;
}
