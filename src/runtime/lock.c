/* SPDX-License-Identifier: MIT */
/*
 * The lock of the runtime: recursive, because a walk over tracepoints may
 * register probes, and not a pthread_mutex_t, because the agent is no thread
 * of libc's.
 *
 * owner: 0, or the holder's thread id, with WAITERS if somebody may sleep on it.
 */
#include <linux/futex.h>

#include "arch/arch.h"
#include "runtime/runtime.h"
#include "runtime/tsan.h"

#define WAITERS		0x80000000u

static uint32_t owner;
static uint32_t depth;			/* the holder's */

void runtime_lock(void)
{
	uint32_t tid = (uint32_t)arch_syscall0(SYS_gettid);
	uint32_t mine = tid, seen;

	if ((__atomic_load_n(&owner, __ATOMIC_RELAXED) & ~WAITERS) == tid) {
		depth++;
		return;
	}
	for (;;) {
		seen = 0;
		if (__atomic_compare_exchange_n(&owner, &seen, mine, false,
						__ATOMIC_ACQUIRE, /* [runtime.lock] */
						__ATOMIC_RELAXED))
			break;
		if (!(seen & WAITERS) &&
		    !__atomic_compare_exchange_n(&owner, &seen, seen | WAITERS,
						 false, __ATOMIC_RELAXED,
						 __ATOMIC_RELAXED))
			continue;
		arch_syscall4(SYS_futex, &owner, FUTEX_WAIT_PRIVATE,
			      seen | WAITERS, NULL);
		/* there may be others: whoever has slept keeps the mark */
		mine = tid | WAITERS;
	}
	tsan_acquire(&owner);
	depth = 1;
}

void runtime_unlock(void)
{
	uint32_t old;

	if (--depth)
		return;
	tsan_release(&owner);
	old = __atomic_exchange_n(&owner, 0, __ATOMIC_RELEASE); /* [runtime.lock] */
	if (old & WAITERS)
		arch_syscall3(SYS_futex, &owner, FUTEX_WAKE_PRIVATE, 1);
}

/* In the child of a fork: held, by a thread that has another id here. */
void runtime_lock_reset(void)
{
	owner = 0;
	depth = 0;
}
