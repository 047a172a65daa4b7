/* SPDX-License-Identifier: MIT */
/* The CPU's time stamp counter (TSC). */
#ifndef ULF_ARCH_TIMESTAMP_H
#define ULF_ARCH_TIMESTAMP_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

/* Returns the TSC. */
static inline uint64_t arch_tsc(void)
{
	return __builtin_ia32_rdtsc();
}

/* Returns true if the TSC runs at the same rate on all CPUs and in every power state. */
static inline bool arch_tsc_is_invariant(void)
{
	unsigned int a, b, c, d;

	return __get_cpuid(0x80000007, &a, &b, &c, &d) && (d & (1u << 8));
}

/* Make the CPU pause for a moment, in a loop in which this thread waits for another
 * thread. */
static inline void arch_relax(void)
{
	__builtin_ia32_pause();
}

/* Returns @tsc * @mult / 2^64. */
static inline uint64_t arch_tsc_scale(uint64_t tsc, uint64_t mult)
{
	return (uint64_t)(((unsigned __int128)tsc * mult) >> 64);
}

#endif
