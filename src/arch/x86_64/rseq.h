/* SPDX-License-Identifier: MIT */
/* Restartable sequences (rseq).  glibc registers an rseq area for each thread, and ulf uses
 * this area. */
#ifndef ULF_ARCH_RSEQ_H
#define ULF_ARCH_RSEQ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Offset from the thread pointer to struct rseq, or to its substitute.  arch_rseq_init()
 * sets it once. */
extern ptrdiff_t arch_rseq_offset __attribute__((visibility("hidden")));
/* Returns the offset of the substitute for struct rseq, which is used without rseq
 * and has CPU number -1. */
ptrdiff_t arch_no_rseq_offset(void) __attribute__((visibility("hidden")));

/* Set arch_rseq_offset.  Returns true if this thread is registered for rseq. */
bool arch_rseq_init(void) __attribute__((visibility("hidden")));

/* Unregister the rseq area of this thread.  The thread then has CPU number -1 until
 * arch_rseq_join().  Returns false if the area was not registered.  Any thread and any
 * signal handler may call this. */
bool arch_rseq_leave(void) __attribute__((visibility("hidden")));
/* Register the rseq area of this thread again, after arch_rseq_leave() has
 * returned true. */
void arch_rseq_join(void) __attribute__((visibility("hidden")));

/* Store CPU number -1 in this thread's rseq area and in its substitute.  The function is for a
 * thread that libc has not made, so its thread-local variables are not initialised.  Returns
 * false if the area is not within the memory page at the thread pointer and above it. */
bool arch_rseq_disown(void) __attribute__((visibility("hidden")));

/* Offsets of members of struct rseq, for assembly in C files.  rseq.c checks them
 * against <linux/rseq.h>, which this file cannot include because of libc's headers. */
#define ARCH_RSEQ_CPU_ID	4
#define ARCH_RSEQ_CS		8

/* Returns the CPU number in the struct rseq at @offset from the thread pointer. */
static inline uint32_t rseq_cpu(ptrdiff_t offset)
{
	uint32_t cpu;

	__asm__ volatile("movl %%fs:%c2(%1), %0" : "=r"(cpu)
			 : "r"(offset), "i"(ARCH_RSEQ_CPU_ID));
	return cpu;
}

/* Returns the number of the CPU on which this thread runs.  If the thread is not registered
 * for rseq, the result is larger than every CPU number. */
static inline uint32_t arch_rseq_cpu(void)
{
	return rseq_cpu(arch_rseq_offset);
}

#endif
