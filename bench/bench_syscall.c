/* SPDX-License-Identifier: MIT */
/*
 * Worker that measures the cost of a system call, getppid(), while events of system calls are off
 * and on.  The driver starts it with the boot setting syscalls.
 */
#include <ulf/tracing.h>

#include "measure.h"
#include "root.h"

#define PATIENCE_MS	60000		/* limit for the analysis of libc */

static double tsc_ghz;

/* Returns the first byte of libc's getppid(). */
static uint8_t code_byte(void)
{
	return *(volatile uint8_t *)(uintptr_t)getppid;
}

/* Wait until the first byte of getppid() is different from @original, if @is_changed, or equal. */
static void wait_for_code(uint8_t original, int is_changed)
{
	for (int ms = 0; (code_byte() != original) != is_changed; ms++) {
		if (ms == PATIENCE_MS)
			worker_fail("getppid() was not switched");
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
	}
}

static double getppid_ns(void)
{
	double slices[MEASURE_SLICES];

	MEASURE(slices, getppid());
	return measure_ns(slices, MEASURE_SLICES, tsc_ghz);
}

/* Returns the time of a call while the events of @file, their switch, are on. */
static double measure_on(const char *file, uint8_t original)
{
	double ns;

	root_write(file, "1");
	wait_for_code(original, 1);
	ns = getppid_ns();
	root_write(file, "0");
	wait_for_code(original, 0);
	return ns;
}

static void run_round(void)
{
	uint8_t original = code_byte();
	double off, on;

	root_write("buffer_size_kb", "1024");
	off = getppid_ns();
	on = measure_on("events/raw_syscalls/enable", original);
	worker_result("syscall_off", off);
	worker_result("syscall_on", on);
	worker_result("syscall_extra", on - off);
	worker_result("syscall_named", measure_on("events/syscalls/enable", original));
}

int main(void)
{
	cpu_set_t allowed;

	tracing_on();	/* without this call the linker would drop libulf */
	sched_getaffinity(0, sizeof(allowed), &allowed);
	measure_pin(&allowed, 0);
	tsc_ghz = measure_tsc_ghz();
	return worker_main(run_round);
}
