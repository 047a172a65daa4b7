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
#include <poll.h>
#include <stdint.h>

#include "arch/arch.h"

#define SHMLOCK_SPINS		200	/* then give the CPU away */
#define SHMLOCK_YIELDS		20000	/* then give up */
#define SHMLOCK_ASK		64	/* yields until the holder is looked at */

/*
 * A thread that is gone runs no more.  The first thread of a killed process
 * stays until its parent has asked for it: no signal tells, but a pidfd of a
 * process that has ended is readable.  That is asked rarely, as a program may
 * be forbidden to (EPERM and EINVAL, for other threads, mean: not known).
 */
static inline int shmlock_is_dead(uint32_t tid, int is_long_wait)
{
	struct pollfd poll = { .events = POLLIN };
	int is_dead;

	/* signal 0 only asks whether the thread exists */
	if (arch_syscall2(SYS_tkill, tid, 0) == -ESRCH)
		return 1;
	if (!is_long_wait)
		return 0;
	poll.fd = (int)arch_syscall2(SYS_pidfd_open, tid, 0);
	if (poll.fd < 0)
		return 0;
	is_dead = arch_syscall3(SYS_poll, &poll, 1, 0) == 1;
	arch_syscall1(SYS_close, poll.fd);
	return is_dead;
}

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
		if (i % SHMLOCK_ASK)
			continue;
		if (shmlock_is_dead(seen, i % (SHMLOCK_YIELDS / 10) <
					  SHMLOCK_ASK) &&
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
