/* SPDX-License-Identifier: MIT */
/* The clock of perf's records, as a distance from CLOCK_MONOTONIC_RAW. */
#ifndef ULF_SERVER_PERF_CLOCK_H
#define ULF_SERVER_PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

/* May this user see that clock? */
bool perf_clock_is_there(void);
/* Bring *@offset_ns, a word of a root, in step with the clock.  -EINVAL: it is
 * not there. */
int perf_clock_follow(uint64_t *offset_ns);

#endif
