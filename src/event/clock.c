/* SPDX-License-Identifier: MIT */
/*
 * The table of clocks.  The names are the kernel's, as far as they make sense for a
 * program.  "local" and "global" are one clock here, because the TSC that both read is
 * synchronous on all CPUs.
 */
#include <assert.h>
#include <errno.h>
#include <string.h>

#include "abi/control.h"
#include "event/clock.h"

const struct clock_row clock_table[] = {
	{ "local", CLOCK_KIND_TSC_NS, CLOCK_MONOTONIC, 1,
	  "TSC in ns on CLOCK_MONOTONIC's base: the default" },
	{ "global", CLOCK_KIND_TSC_NS, CLOCK_MONOTONIC, 1,
	  "the same clock as local, which is in step on all CPUs" },
	{ "counter", CLOCK_KIND_COUNTER, 0, 0,
	  "no clock: counts the records" },
	{ "uptime", CLOCK_KIND_POSIX, CLOCK_MONOTONIC_COARSE, 10000000,
	  "hundredths of a second since the machine's start" },
	{ "mono", CLOCK_KIND_POSIX, CLOCK_MONOTONIC, 1,
	  "CLOCK_MONOTONIC" },
	{ "mono_raw", CLOCK_KIND_POSIX, CLOCK_MONOTONIC_RAW, 1,
	  "CLOCK_MONOTONIC_RAW" },
	{ "boot", CLOCK_KIND_POSIX, CLOCK_BOOTTIME, 1,
	  "CLOCK_BOOTTIME: goes on while the machine sleeps" },
	{ "tai", CLOCK_KIND_POSIX, CLOCK_TAI, 1,
	  "CLOCK_TAI: the date, without leap seconds" },
	{ "x86-tsc", CLOCK_KIND_TSC_RAW, CLOCK_MONOTONIC, 0,
	  "the TSC's own count" },
	{ "perf", CLOCK_KIND_PERF, CLOCK_MONOTONIC_RAW, 1,
	  "the clock of perf's records, if perf_event_open() is allowed" },
};

const size_t clock_table_rows = sizeof(clock_table) / sizeof(clock_table[0]);

const struct clock_row *clock_nth(size_t nth)
{
	static const uint8_t order[] = { 0, 1, 2, 3, 9, 4, 5, 6, 7, 8 };

	static_assert(sizeof(order) == sizeof(clock_table) / sizeof(clock_table[0]),
		      "each clock is shown");
	return &clock_table[order[nth]];
}

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

uint64_t clock_read(const struct clock_row *row, struct abi_control *control)
{
	if (row->kind == CLOCK_KIND_COUNTER)
		return __atomic_add_fetch(&control->counter, 1, __ATOMIC_RELAXED);
	if (row->kind == CLOCK_KIND_PERF)
		return clock_posix_ns(row->id) +
		       __atomic_load_n(&control->perf_ns, __ATOMIC_RELAXED);
	return clock_posix_ns(row->id) / (row->ns ? row->ns : 1);
}
