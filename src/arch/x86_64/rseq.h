/* SPDX-License-Identifier: MIT */
/* Restartable sequences: glibc registers each thread, we use its area. */
#ifndef ULF_ARCH_RSEQ_H
#define ULF_ARCH_RSEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From the thread pointer to struct rseq, or to something that can stand in for
 * it; set once by arch_rseq_init(). */
extern ptrdiff_t arch_rseq_offset __attribute__((visibility("hidden")));

/* True if this thread is registered.  Writes arch_rseq_offset. */
bool arch_rseq_init(void) __attribute__((visibility("hidden")));

/* The CPU this thread is on; garbage (>= nr_cpus) where it is not registered. */
static inline uint32_t arch_rseq_cpu(void)
{
	uint32_t cpu;

	__asm__ volatile("movl %%fs:4(%1), %0" : "=r"(cpu)
			 : "r"(arch_rseq_offset));
	return cpu;
}

#endif
