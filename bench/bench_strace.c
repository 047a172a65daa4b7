/* SPDX-License-Identifier: MIT */
/*
 * Worker that measures the cost of a system call, getppid(), while strace traces the program and
 * writes its lines to /dev/null.  The worker starts itself again under strace.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "measure.h"
#include "worker.h"

#define NR_SLICES	40
#define SLICE_LOOPS	200		/* fewer than MEASURE(): a call takes microseconds */

static double tsc_ghz;

static void run_round(void)
{
	double slices[NR_SLICES];

	for (int s = 0; s < NR_SLICES; s++) {
		uint64_t start = __rdtsc();

		for (int i = 0; i < SLICE_LOOPS; i++)
			getppid();
		slices[s] = (double)(__rdtsc() - start);
	}
	worker_result("syscall_strace",
		      measure_median(slices, NR_SLICES) / SLICE_LOOPS / tsc_ghz);
}

/* Start this program under strace. */
static void start_again(void)
{
	char self[256];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n < 0)
		worker_fail(strerror(errno));
	self[n] = '\0';
	execlp("strace", "strace", "-o", "/dev/null", self, "traced", NULL);
	worker_fail("strace is not installed");
}

int main(int argc, char **argv)
{
	cpu_set_t allowed;

	(void)argv;
	if (argc < 2)
		start_again();
	sched_getaffinity(0, sizeof(allowed), &allowed);
	measure_pin(&allowed, 0);
	tsc_ghz = measure_tsc_ghz();
	return worker_main(run_round);
}
