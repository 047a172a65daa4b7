/* SPDX-License-Identifier: MIT */
#ifndef ULF_SERVER_NOW_H
#define ULF_SERVER_NOW_H

#include <time.h>

#include "event/clock.h"

/* Return the present time of CLOCK_MONOTONIC in ns. */
static inline uint64_t server_now_ns(void)
{
	return clock_posix_ns(CLOCK_MONOTONIC);
}

#endif
