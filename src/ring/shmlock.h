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
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>

#include "arch/arch.h"

#define SHMLOCK_SPINS		200	/* then give the CPU away */
#define SHMLOCK_YIELDS		20000	/* then give up */
#define SHMLOCK_ASK		64	/* yields until the holder is looked at */

#define SHMLOCK_UNKNOWN		0x80000000u	/* no number of a thread's */

/* Who the caller is.  Where a filter of the program's (seccomp) refuses to tell, a number
 * that hardly anybody else has, and of which nobody can say that its thread is dead. */
static inline uint32_t shmlock_self(void)
{
	long tid = arch_syscall0(SYS_gettid);
	uint64_t number = (uint64_t)__builtin_thread_pointer() >> 6;

	if (tid > 0)
		return (uint32_t)tid;
	/* a child has its threads where its parent has them */
	number += (uint64_t)arch_syscall0(SYS_getpid) * 0x9e3779b1u;
	return (uint32_t)number | SHMLOCK_UNKNOWN;
}

/* Has thread @tid no memory any more?  So it is with one that is gone, and with
 * one that is dead and not yet waited for, to which a signal can be sent as if
 * it lived.  -EPERM and the like mean that it lives. */
static inline bool shmlock_is_dead(uint32_t tid, uint32_t *word)
{
	uint32_t copy;
	struct iovec to = { &copy, sizeof(copy) };
	struct iovec from = { word, sizeof(copy) };

	if (tid & SHMLOCK_UNKNOWN)
		return false;
	return arch_syscall2(SYS_tkill, tid, 0) == -ESRCH ||
	       arch_syscall6(SYS_process_vm_readv, tid, (long)&to, 1,
			     (long)&from, 1, 0) == -ESRCH;
}

/* @owner: the lock, 0 while it is free; @tid: the caller; @yields: how often the CPU
 * is given away before it is given up. */
static inline int shmlock_take_for(uint32_t *owner, uint32_t tid, uint32_t yields)
{
	for (uint32_t i = 0; i < SHMLOCK_SPINS + yields; i++) {
		uint32_t seen = 0;

		/* [shmlock]: acquire pairs with the release in shmlock_drop */
		if (__atomic_compare_exchange_n(owner, &seen, tid, 0,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return 0;
		/* Ours already, with our signals blocked: it is of a dead
		 * thread that had our number. */
		if (seen == tid)
			return 0;
		if (i < SHMLOCK_SPINS) {
			__builtin_ia32_pause();
			continue;
		}
		arch_syscall0(SYS_sched_yield);
		if (i % SHMLOCK_ASK)
			continue;
		if (shmlock_is_dead(seen, owner) &&
		    __atomic_compare_exchange_n(owner, &seen, tid, 0,
						__ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return 0;
	}
	return -EBUSY;
}

static inline int shmlock_take(uint32_t *owner, uint32_t tid)
{
	return shmlock_take_for(owner, tid, SHMLOCK_YIELDS);
}

static inline void shmlock_drop(uint32_t *owner)
{
	__atomic_store_n(owner, 0, __ATOMIC_RELEASE);	/* [shmlock] */
}

#endif
