/* SPDX-License-Identifier: MIT */
/*
 * The table of clocks.  The kernel's names, where they have a meaning for a
 * program; "local" and "global" are one clock here, for the TSC that both
 * stand for is the same on every CPU.
 */
#include <errno.h>
#include <string.h>

#include "event/clock.h"

const struct clock_row clock_table[] = {
	{ "local", CLOCK_KIND_TSC_NS, CLOCK_MONOTONIC, true,
	  "TSC in ns on CLOCK_MONOTONIC's base: the default" },
	{ "global", CLOCK_KIND_TSC_NS, CLOCK_MONOTONIC, true,
	  "the same clock as local, which is in step on all CPUs" },
	{ "mono", CLOCK_KIND_POSIX, CLOCK_MONOTONIC, true,
	  "CLOCK_MONOTONIC" },
	{ "mono_raw", CLOCK_KIND_POSIX, CLOCK_MONOTONIC_RAW, true,
	  "CLOCK_MONOTONIC_RAW" },
	{ "boot", CLOCK_KIND_POSIX, CLOCK_BOOTTIME, true,
	  "CLOCK_BOOTTIME: goes on while the machine sleeps" },
	{ "tai", CLOCK_KIND_POSIX, CLOCK_TAI, true,
	  "CLOCK_TAI: the date, without leap seconds" },
	{ "x86-tsc", CLOCK_KIND_TSC_RAW, CLOCK_MONOTONIC, false,
	  "the TSC's own count" },
};

const size_t clock_table_rows = sizeof(clock_table) / sizeof(clock_table[0]);

const struct clock_row *clock_get(uint32_t row)
{
	return &clock_table[row < clock_table_rows ? row : 0];
}

int clock_find(const char *name)
{
	for (size_t i = 0; i < clock_table_rows; i++)
		if (!strcmp(clock_table[i].name, name))
			return (int)i;
	return -EINVAL;
}

uint64_t clock_posix_ns(clockid_t id)
{
	struct timespec now;

	if (clock_gettime(id, &now))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
