/* SPDX-License-Identifier: MIT */
/* Slots of threads that call probes.  All functions of this file may be called in any
 * context. */
#ifndef ULF_RUNTIME_BASE_THREAD_H
#define ULF_RUNTIME_BASE_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"
#include "arch/arch.h"
#include <ulf/event.h>

#define THREAD_PART_WORDS	5u

struct thread_slot {
	struct ulf_thread thread;	/* id and nesting of the thread that has the
					 * slot; the id is 0 while the slot is free */
	uint64_t part_words[THREAD_PART_WORDS];	/* state of the part of the runtime
						 * that owns the word; the part's
						 * method thread_new resets it */
} __attribute__((aligned(64)));

/* Call @fn for every thread slot, until @fn returns a value other than 0.  Returns the
 * last value that @fn has returned. */
int thread_for_each(int (*fn)(struct thread_slot *slot, void *arg), void *arg);
/* Called in a child of fork(): free the slots of the parent's other threads. */
void thread_after_fork(void);
/* True if the program has set a probe or a callback, so that threads may hit events
 * or functions even without a root.  Written with runtime_lock() held. */
extern bool thread_may_hit;
/*
 * thread_lend - give a slot to this thread, which has none because it has not hit an
 * event or function yet.  Does nothing if no slot is available, or if no thread can hit
 * anything. thread_take_back - free the slot that thread_lend() gave.
 */
void thread_lend(void);
void thread_take_back(void);
/* Returns the id of this thread, which must have a slot.  The load is atomic, because other
 * threads may try to claim the slot. */
static inline uint32_t thread_tid(void)
{
	return __atomic_load_n(&ulf_this_thread->tid, __ATOMIC_RELAXED);
}
/* The thread for which the agent stands while it writes late records (buffer/late.h). */
struct late_thread {
	struct ulf_thread thread;	/* thread.reserved is 1 + the number of the CPU
					 * on which the event happened */
	char comm[ABI_COMM_LEN];	/* name of the thread */
};
/* Returns true in the agent while it writes late records. */
static inline bool thread_is_late(void)
{
	return ulf_this_thread && ulf_this_thread->reserved;
}
/* Returns the CPU on which this thread runs, or 0 if the CPU is not known. */
static inline uint32_t thread_cpu(void)
{
	unsigned int cpu = arch_rseq_cpu();

	if (cpu >= ABI_CPUS && thread_is_late())
		cpu = ulf_this_thread->reserved - 1;
	else if (cpu >= ABI_CPUS)
		arch_syscall3(SYS_getcpu, &cpu, NULL, NULL);
	return cpu < ABI_CPUS ? cpu : 0;
}

#endif
