/* SPDX-License-Identifier: MIT */
/* Read POSIX clocks as numbers.  Any context: clock_gettime(2) is async-signal-safe. */
#ifndef ULF_BASE_POSIX_CLOCK_H
#define ULF_BASE_POSIX_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Returns the time of clock @id in ns, or 0 if there is no such clock. */
static inline uint64_t clock_posix_ns(clockid_t id)
{
	struct timespec now;

	if (clock_gettime(id, &now))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Returns the time of CLOCK_MONOTONIC in ns. */
static inline uint64_t clock_monotonic_ns(void)
{
	return clock_posix_ns(CLOCK_MONOTONIC);
}

/* Returns the time of CLOCK_MONOTONIC in ms. */
static inline uint64_t clock_monotonic_ms(void)
{
	return clock_monotonic_ns() / 1000000u;
}

#endif
