/* SPDX-License-Identifier: MIT */
/*
 * The clock of perf's records, as an offset from CLOCK_MONOTONIC_RAW.  Only the server's
 * thread calls these functions.
 */
#ifndef ULF_SERVER_PERF_CLOCK_H
#define ULF_SERVER_PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* Return true if this user may read the clock of perf's records. */
bool perf_clock_is_there(void);
/*
 * Update *@offset_ns, a word in a root's memory, to the current offset of perf's clock
 * from CLOCK_MONOTONIC_RAW.  Returns 0; -EINVAL if the clock is not available; -EIO if
 * it cannot be read.
 */
int perf_clock_update(uint64_t *offset_ns);

#endif
