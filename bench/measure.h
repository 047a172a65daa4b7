/* SPDX-License-Identifier: MIT */
/*
 * Time short loops on a machine that other people use, too.
 *
 * A loop is cut into slices of some microseconds.  Each slice is timed with the TSC, and
 * the result is the median slice.  So slices in which the thread was preempted, or the
 * host took the CPU away, do not count.  Costs that every slice has (page crossings,
 * cache misses of a streaming writer) do count.
 */
#ifndef ULF_BENCH_MEASURE_H
#define ULF_BENCH_MEASURE_H

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <x86intrin.h>

#define MEASURE_SLICES		200
#define MEASURE_WARM_SLICES	40	/* number of slices that run first and are not
					 * timed, to fill the ring */
#define MEASURE_SLICE_LOOPS	5000

/* Keep the compiler from merging or moving iterations of a loop. */
#define measure_barrier()	asm volatile("" ::: "memory")

/* MEASURE(slices, statement): run the statement MEASURE_SLICE_LOOPS times per slice,
 * with a loop counter `i`.  slices[MEASURE_SLICES] gets the TSC ticks of each slice. */
#define MEASURE(slices, ...)						\
	do {								\
		uint64_t i = 0, end_, start_;				\
		for (int s_ = -MEASURE_WARM_SLICES;			\
		     s_ < MEASURE_SLICES; s_++) {			\
			end_ = i + MEASURE_SLICE_LOOPS;			\
			start_ = __rdtsc();				\
			for (; i < end_; i++) {				\
				__VA_ARGS__;				\
				measure_barrier();			\
			}						\
			if (s_ >= 0)					\
				(slices)[s_] = __rdtsc() - start_;	\
		}							\
	} while (0)

/* For qsort(). */
static inline int measure_compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* Returns the median of @values.  Sorts @values. */
static inline double measure_median(double *values, int nr)
{
	qsort(values, nr, sizeof(*values), measure_compare);
	return nr & 1 ? values[nr / 2] :
			(values[nr / 2 - 1] + values[nr / 2]) / 2;
}

static inline uint64_t measure_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ull + now.tv_nsec;
}

/* Returns the number of TSC ticks per ns.  Each sample reads the TSC before and after the
 * clock. Several samples are taken at the beginning and at the end, and the sample with the
 * shortest distance counts.  This bounds the error to some 10 ns in 50 ms. */
static inline double measure_tsc_ghz(void)
{
	uint64_t tsc[2], ns[2];

	for (int end = 0; end < 2; end++) {
		uint64_t best = UINT64_MAX;

		for (int try = 0; try < 50; try++) {
			uint64_t before = __rdtsc();
			uint64_t now = measure_now_ns();
			uint64_t after = __rdtsc();

			if (after - before >= best)
				continue;
			best = after - before;
			tsc[end] = before + best / 2;
			ns[end] = now;
		}
		if (!end)
			nanosleep(&(struct timespec){ .tv_nsec = 50000000 }, NULL);
	}
	return (double)(tsc[1] - tsc[0]) / (double)(ns[1] - ns[0]);
}

/* Returns the median of @nr slices (TSC ticks) as ns per iteration.  Sorts @slices. */
static inline double measure_ns(double *slices, int nr, double tsc_ghz)
{
	return measure_median(slices, nr) / MEASURE_SLICE_LOOPS / tsc_ghz;
}

/* Bind the calling thread to one of the CPUs in @allowed: for @number 0 to the last CPU,
 * for 1 to the one before it, and so on, modulo the number of CPUs. */
static inline void measure_pin(const cpu_set_t *allowed, int number)
{
	int skip = number % CPU_COUNT(allowed);

	for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--) {
		cpu_set_t one;

		if (!CPU_ISSET(cpu, allowed) || skip--)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

#endif
