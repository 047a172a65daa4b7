/* SPDX-License-Identifier: MIT */
/* tracef() is measured in a source file of its own: its header and the header of a
 * program's tracepoints cannot be included in the same file. */
#ifndef BENCH_LTTNG_TRACEF_H
#define BENCH_LTTNG_TRACEF_H

/* Measure lttng_ust_tracef(); @slices has MEASURE_SLICES elements. */
void bench_lttng_tracef(double *slices);

#endif
