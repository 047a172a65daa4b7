/* SPDX-License-Identifier: MIT */
/* LTTng's header for tracef() and that of a program's own tracepoints cannot be in
 * one source file. */
#ifndef BENCH_LTTNG_TRACEF_H
#define BENCH_LTTNG_TRACEF_H

void bench_lttng_tracef(double *slices);

#endif
