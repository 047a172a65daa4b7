/* SPDX-License-Identifier: MIT */
/* tracef() of LTTng-UST with what trace_printk() is given in bench_event.c. */
#include <lttng/tracef.h>

#include "bench_lttng_tracef.h"
#include "measure.h"

void bench_lttng_tracef(double *slices)
{
	MEASURE(slices, lttng_ust_tracef("%d %lu", (int)i, ~i));
}
