/* SPDX-License-Identifier: MIT */
/* Restartable sequences: glibc registers each thread, we use its area. */
#ifndef ULF_ARCH_RSEQ_H
#define ULF_ARCH_RSEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* From the thread pointer to struct rseq, or to something that can stand in for
 * it: always the same, once arch_rseq_init() was called. */
extern ptrdiff_t arch_rseq_offset __attribute__((visibility("hidden")));
/* To what stands in for it: threads are on CPU -1 there. */
ptrdiff_t arch_no_rseq_offset(void) __attribute__((visibility("hidden")));

/* True if this thread is registered.  Writes arch_rseq_offset. */
bool arch_rseq_init(void) __attribute__((visibility("hidden")));

/* This thread is on CPU -1 for a while.  False: it was not registered.  Any context. */
bool arch_rseq_leave(void) __attribute__((visibility("hidden")));
/* After that. */
void arch_rseq_join(void) __attribute__((visibility("hidden")));

static inline uint32_t rseq_cpu(ptrdiff_t offset)
{
	uint32_t cpu;

	__asm__ volatile("movl %%fs:4(%1), %0" : "=r"(cpu) : "r"(offset));
	return cpu;
}

/* The CPU this thread is on; garbage (>= nr_cpus) where it is not registered. */
static inline uint32_t arch_rseq_cpu(void)
{
	return rseq_cpu(arch_rseq_offset);
}

#endif
