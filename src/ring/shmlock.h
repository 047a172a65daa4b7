/* SPDX-License-Identifier: MIT */
/*
 * A lock in shared memory for rare work, taken by threads of any process of a
 * root with their signals blocked.  A holder that was killed leaves the lock
 * behind; whoever waits finds that the thread is gone and takes it over, so
 * what the lock protects must be consistent after every store.
 *
 * Progress: waiting is bounded, then -EBUSY.  Not a fair lock, not a futex:
 * the holders do a few hundred instructions.
 */
#ifndef ULF_RING_SHMLOCK_H
#define ULF_RING_SHMLOCK_H

#include <errno.h>
#include <stdint.h>

#include "arch/arch.h"

#define SHMLOCK_SPINS		200	/* then give the CPU away */
#define SHMLOCK_YIELDS		20000	/* then give up */

/* @owner: the lock, 0 while it is free; @tid: the caller. */
static inline int shmlock_take(uint32_t *owner, uint32_t tid)
{
	for (uint32_t i = 0; i < SHMLOCK_SPINS + SHMLOCK_YIELDS; i++) {
		uint32_t seen = 0;

		/* [shmlock]: acquire pairs with the release in shmlock_drop */
		if (__atomic_compare_exchange_n(owner, &seen, tid, 0,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return 0;
		if (i < SHMLOCK_SPINS) {
			__builtin_ia32_pause();
			continue;
		}
		arch_syscall0(SYS_sched_yield);
		if (i % 64)
			continue;
		/* tkill() with signal 0 only asks whether the thread exists */
		if (arch_syscall2(SYS_tkill, seen, 0) == -ESRCH &&
		    __atomic_compare_exchange_n(owner, &seen, tid, 0,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return 0;
	}
	return -EBUSY;
}

static inline void shmlock_drop(uint32_t *owner)
{
	__atomic_store_n(owner, 0, __ATOMIC_RELEASE);	/* [shmlock] */
}

#endif
