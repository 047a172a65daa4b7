/* SPDX-License-Identifier: MIT */
/*
 * A lock in shared memory for rare work.  Threads of any process of a root take it
 * with their signals blocked.  A holder that is killed keeps the lock; a waiter then
 * finds that the holder is dead and takes the lock over.  So the data that the lock
 * protects must be consistent after every store.
 *
 * Progress: a thread waits for a bounded time, then gets -EBUSY.  A holder runs only a
 * few hundred instructions, so the lock need not be fair, and waiters need not sleep on
 * a futex.
 *
 * Waits are limited by time and by the number of yields.  The number alone would not
 * bound the time: a yield takes less than a microsecond on an idle CPU, but some
 * milliseconds for each other thread on a busy CPU.  So a hostile process that keeps
 * the lock could stop its victim for a minute.
 */
#ifndef ULF_RING_SHMLOCK_H
#define ULF_RING_SHMLOCK_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/uio.h>
#include <time.h>

#include "arch/arch.h"

#define SHMLOCK_SPINS		200	/* number of spins before the first
					 * sched_yield() */
#define SHMLOCK_YIELDS		20000	/* number of yields before a waiter gives up
					 * with -EBUSY */
#define SHMLOCK_WAIT_NS		10000000u	/* a waiter also gives up after this
						 * time, plus SHMLOCK_YIELD_NS for
						 * each of its yields */
#define SHMLOCK_YIELD_NS	50000u		/* time by which each yield extends
						 * SHMLOCK_WAIT_NS, ns */
#define SHMLOCK_ASK		64	/* after this number of yields a waiter checks
					 * again whether the holder is dead */

#define SHMLOCK_UNKNOWN		0x80000000u	/* flag in the number of a lock's
						 * owner: the number is not a thread
						 * id */

/*
 * Returns the number that a lock contains while the caller holds it: the caller's
 * thread id.  If a seccomp filter blocks gettid(), the number is a hash of process id
 * and thread pointer, with SHMLOCK_UNKNOWN set.  It is very unlikely that another
 * thread has the same number.  Waiters do not check whether such an owner is dead.
 */
static inline uint32_t shmlock_self(void)
{
	long tid = arch_syscall0(SYS_gettid);
	uint64_t number = (uint64_t)__builtin_thread_pointer() >> 6;

	if (tid > 0)
		return (uint32_t)tid;
	/* A forked child has the thread pointers of its parent, so the process id must be
	 * a part of the number. */
	number += (uint64_t)arch_syscall0(SYS_getpid) * 0x9e3779b1u;
	return (uint32_t)number | SHMLOCK_UNKNOWN;
}

/* Returns true if thread @tid is dead: it has exited or is a zombie.
 * tkill() to a zombie succeeds, so this function also tries to read @word from the
 * thread's memory, which a zombie has not.  If tkill() or the read fails with
 * another error, such as -EPERM, the thread is alive. */
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

/* Returns the time of CLOCK_MONOTONIC, ns; or 0 if a seccomp filter refuses the call.
 * Then only the number of yields bounds a wait. */
static inline uint64_t shmlock_now_ns(void)
{
	struct timespec now = { 0, 0 };

	arch_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/*
 * Take the lock.
 * @owner: the lock; 0 while it is free.
 * @tid: the caller, from shmlock_self().
 * @yields: how often to yield the CPU before giving up, if that takes no longer than
 * SHMLOCK_WAIT_NS + @yields * SHMLOCK_YIELD_NS.
 * Returns 0 or -EBUSY.
 */
static inline int shmlock_take_for(uint32_t *owner, uint32_t tid, uint32_t yields)
{
	uint64_t end_ns = 0;
	bool is_late = false;

	for (uint32_t i = 0; i < SHMLOCK_SPINS + yields; i++) {
		uint32_t seen = 0;

		/* acquire: the stores that the previous holder made under the lock are
		 * visible.  Pairs with shmlock_drop() [shmlock] */
		if (__atomic_compare_exchange_n(owner, &seen, tid, 0,
						__ATOMIC_ACQUIRE,
						__ATOMIC_ACQUIRE))
			return 0;
		/*
		 * The lock contains the caller's thread id, but the caller cannot hold
		 * the lock: its signals are blocked, so it has not interrupted itself.
		 * So a dead thread with the same id has left the lock taken, and now
		 * the caller holds it.
		 */
		if (seen == tid)
			return 0;
		if (i < SHMLOCK_SPINS) {
			arch_relax();
			continue;
		}
		if (is_late)
			break;
		if (i == SHMLOCK_SPINS)
			end_ns = shmlock_now_ns() + SHMLOCK_WAIT_NS +
				 (uint64_t)yields * SHMLOCK_YIELD_NS;
		arch_syscall0(SYS_sched_yield);
		is_late = shmlock_now_ns() >= end_ns;
		if (i % SHMLOCK_ASK && !is_late)
			continue;
		if (shmlock_is_dead(seen, owner) &&
		    __atomic_compare_exchange_n(owner, &seen, tid, 0,
						__ATOMIC_ACQUIRE,	/* [shmlock] */
						__ATOMIC_RELAXED))
			return 0;
	}
	return -EBUSY;
}

/*
 * Take a lock for which threads wait again and again, such as once for each record.
 * @patience: how often to yield before giving up; SHMLOCK_YIELDS at first.  Each
 * failure divides this number by 4, each success doubles it.  So a process that never
 * releases the lock costs the others some records, but little time.  Threads may share
 * @patience.
 * Returns 0 or -EBUSY.
 */
static inline int shmlock_take_patiently(uint32_t *owner, uint32_t tid, uint32_t *patience)
{
	uint32_t old = __atomic_load_n(patience, __ATOMIC_RELAXED), new;
	int r = shmlock_take_for(owner, tid, old);

	if (r)
		new = old / 4 > SHMLOCK_ASK ? old / 4 : SHMLOCK_ASK;
	else
		new = old < SHMLOCK_YIELDS / 2 ? old * 2 : SHMLOCK_YIELDS;
	if (new != old)
		__atomic_store_n(patience, new, __ATOMIC_RELAXED);
	return r;
}

/* Release the lock. */
static inline void shmlock_drop(uint32_t *owner)
{
	__atomic_store_n(owner, 0, __ATOMIC_RELEASE);	/* [shmlock] */
}

#endif
