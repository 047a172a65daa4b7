/* SPDX-License-Identifier: MIT */
/*
 * What libulf costs in memory: little while nothing is traced, and no more
 * when the program locks all of its own, though gigabytes are mapped.
 *
 * no-sanitize: address the sanitizer's own memory is not to be locked
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <errno.h>
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

int main(void)
{
	struct driver d;

	trace_rt_hit(1, 1);
	CHECK_EQ(driver_open(&d, getpid()), 0);
	if (root_kb(&d) > DORMANT_KB_MAX)
		fail("a dormant root has %ld KiB", root_kb(&d));
	driver_close(&d);	/* or its mapping would be locked, too */
	if (mlockall(MCL_CURRENT | MCL_FUTURE))
		skip("mlockall() fails: %s", strerror(errno));
	if (status_kb("VmLck") < 1024 || status_kb("VmLck") > LOCKED_KB_MAX ||
	    status_kb("VmRSS") > LOCKED_KB_MAX)
		fail("%ld KiB are in memory, %ld locked", status_kb("VmRSS"),
		     status_kb("VmLck"));
	CHECK_EQ(munlockall(), 0);

	/* Locked again, with rings, and without the view of this test. */
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
