/* SPDX-License-Identifier: MIT */
/*
 * Locks of the runtime.  A pthread_mutex_t cannot be used, because the agent is not a
 * thread of libc, and because a child of fork() must be able to repair a lock.
 *
 * A lock is one word, *@owner.  It is 0 while the lock is free, else the thread id of
 * the holder.  The bit WAITERS is set if a thread may sleep on the lock.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/arch.h"
#include "runtime/base/lock.h"
#include "runtime/base/thread.h"
#include "runtime/base/tsan.h"

#define WAITERS		0x80000000u

static struct lock runtime;

/* Returns the thread id.  If a seccomp filter of the program refuses gettid(), returns
 * another number that differs between threads, so that the holder of a lock still
 * recognizes itself. */
static uint32_t this_tid(void)
{
	long tid = arch_syscall0(SYS_gettid);

	return tid > 0 ? (uint32_t)tid :
			 (uint32_t)((uint64_t)__builtin_thread_pointer() >> 6) & ~WAITERS;
}

static bool try_as(uint32_t *owner, uint32_t tid)
{
	uint32_t free = 0;

	if (!__atomic_compare_exchange_n(owner, &free, tid, false,
					 __ATOMIC_ACQUIRE, /* [runtime.lock] */
					 __ATOMIC_RELAXED))
		return false;
	tsan_acquire(owner);
	return true;
}

bool lock_try(uint32_t *owner)
{
	return try_as(owner, this_tid());
}

uint32_t lock_mark(uint32_t *owner)
{
	uint32_t seen = __atomic_load_n(owner, __ATOMIC_RELAXED);

	while (seen && !(seen & WAITERS)) {
		if (__atomic_compare_exchange_n(owner, &seen, seen | WAITERS,
						false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED))
			seen |= WAITERS;
	}
	return seen;
}

void lock_sleep(const uint32_t *owner, uint32_t seen)
{
	if (seen)
		arch_syscall4(SYS_futex, owner, FUTEX_WAIT_PRIVATE, seen, NULL);
}

/*
 * Correct the owner of a lock in a child of fork().  A signal handler may have called
 * fork() after this thread had read @tid and before it took the lock.  Then this thread has
 * stored, in the child, the thread id that it had in the parent.  It would not recognize
 * itself as the holder, and would wait for ever if it took the lock again.  So replace @tid
 * by the child's thread id.
 */
static void correct_owner(uint32_t *owner, uint32_t tid)
{
	uint32_t now = this_tid(), seen = __atomic_load_n(owner, __ATOMIC_RELAXED);

	while (now != tid && (seen & ~WAITERS) == tid)
		if (__atomic_compare_exchange_n(owner, &seen, (seen & WAITERS) | now, false,
						__ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return;
}

int lock_take(uint32_t *owner)
{
	uint32_t tid = this_tid();

	if ((__atomic_load_n(owner, __ATOMIC_RELAXED) & ~WAITERS) == tid)
		return -EDEADLK;
	while (!try_as(owner, tid))
		lock_sleep(owner, lock_mark(owner));
	correct_owner(owner, tid);
	return 0;
}

/*
 * Release the lock and wake all sleepers.  It is not enough to wake only one sleeper:
 * that thread does not know of the others, so it would take the lock without setting
 * WAITERS, and then nothing would wake the others.  As soon as *@owner is 0, the module
 * that contains the word may be unmapped.  Then the wake-up has no effect.
 */
void lock_drop(uint32_t *owner)
{
	uint32_t old;

	tsan_release(owner);
	old = __atomic_exchange_n(owner, 0, __ATOMIC_RELEASE); /* [runtime.lock] */
	if (old & WAITERS)
		arch_syscall3(SYS_futex, owner, FUTEX_WAKE_PRIVATE, INT_MAX);
}

void lock_after_fork(uint32_t *owner, uint32_t old_tid)
{
	if (*owner)			/* do not write to a free lock, so that its
					 * memory page stays shared with the parent */
		*owner = (*owner & ~WAITERS) == old_tid ? this_tid() : 0;
}

void lock_enter(struct lock *lock)
{
	if (lock_take(&lock->owner))
		lock->depth++;
	else
		lock->depth = 1;
}

void lock_leave(struct lock *lock)
{
	if (!--lock->depth)
		lock_drop(&lock->owner);
}

void runtime_lock(void)
{
	lock_enter(&runtime);
}

void runtime_unlock(void)
{
	lock_leave(&runtime);
}

/* runtime.owner is not 0, because fork_prepare() called runtime_lock() before
 * fork(). */
uint32_t runtime_lock_reset(void)
{
	uint32_t old_tid = runtime.owner & ~WAITERS;

	runtime = (struct lock){ 0, 0 };
	return old_tid;
}
