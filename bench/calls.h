/* SPDX-License-Identifier: MIT */
/*
 * The functions whose calls are measured: a function that does almost nothing, and one that
 * calls itself twice.  calls.c is built once for each kind.
 */
#ifndef ULF_BENCH_CALLS_H
#define ULF_BENCH_CALLS_H

#include "measure.h"
#include "worker.h"

#define CALLS_DECLARE(kind)						\
	int leaf_##kind(int x);						\
	int neighbour_##kind(int x);					\
	unsigned int fib_##kind(unsigned int n)

CALLS_DECLARE(plain);		/* the functions have no space for a tracer */
CALLS_DECLARE(nops);		/* -fpatchable-function-entry=5 */
CALLS_DECLARE(moved);		/* in a library: the functions have no space for a tracer and are
				 * moved */
CALLS_DECLARE(hooks);		/* -finstrument-functions, empty hooks */
CALLS_DECLARE(mcount);		/* -pg */

/* fib(6) makes 25 calls, so a slice has 200 calls. */
#define FIB_N		6
#define FIB_CALLS	25
_Static_assert(MEASURE_SLICE_LOOPS % FIB_CALLS == 0, "whole ones");

/*
 * Print the time of a call of @leaf or @fib.  Each use is inlined, with its own loop and
 * its own call instruction.  If all functions shared one indirect call, every function but
 * the first would be slower on CPUs that predict such calls in two steps (Zen 4).
 */
#define MEASURED	static inline __attribute__((always_inline))

MEASURED void measure_leaf(const char *name, int (*leaf)(int), double ghz)
{
	double slices[MEASURE_SLICES];
	int x = 0;

	MEASURE(slices, x = leaf(x));
	worker_result(name, measure_ns(slices, MEASURE_SLICES, ghz));
}

MEASURED void measure_fib(const char *name,
			  unsigned int (*fib)(unsigned int), double ghz)
{
	double slices[MEASURE_SLICES];

	MEASURE(slices, (void)fib(FIB_N); i += FIB_CALLS - 1);
	worker_result(name, measure_ns(slices, MEASURE_SLICES, ghz));
}

#endif
