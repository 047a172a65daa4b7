/* SPDX-License-Identifier: MIT */
/* Measure tracef() of LTTng-UST, with the arguments that bench_event.c gives to
 * trace_printk(). */
#include <lttng/tracef.h>

#include "bench_lttng_tracef.h"
#include "measure.h"

void bench_lttng_tracef(double *slices)
{
	MEASURE(slices, lttng_ust_tracef("%d %lu", (int)i, ~i));
}
