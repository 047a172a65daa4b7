/* SPDX-License-Identifier: MIT */
/*
 * Grace periods: wait until no thread is inside an old probe any more.
 *
 * A reader (ulf_probe_enter()) stores the current period number, with a nesting of 1, in
 * the word of its thread.  Then it loads the probe list.  Between the store and the load
 * is only a compiler barrier, so the CPU may reorder them.  A waiter publishes the new
 * list, and then:
 *
 *	1  raises the period number
 *	2  calls membarrier(): a full barrier in every running thread.  If step 3 does not
 *	   see the store of a reader, the reader has stored after the barrier.  So it also
 *	   loads the list after the barrier, and gets the new one  [grace.enter]
 *	3  waits for each word that has a nesting and an older number
 *	4  calls membarrier(): everything that those readers did is visible  [grace.exit]
 *
 * A reader that loads the number before step 1 and stores it after step 3 stores an old
 * number.  Such a reader has the new list all the same.  A later waiter waits for this
 * reader without need, but this does no harm.  A number is never used again (48 bits), so
 * one pass over all words is enough.
 *
 * Events that are only recorded do not call ulf_probe_enter().  They load the set of
 * rings inside of an rseq section.  After step 2 the waiter also restarts every rseq
 * section that has begun and not ended, and the new attempt loads the new set
 * [grace.rseq].  If the kernel cannot restart sections (before Linux 5.10), such events
 * call ulf_probe_enter(), too (grace_has_rseq()).
 */
#include <errno.h>
#include <linux/membarrier.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

#include "arch/arch.h"
#include "runtime/base/grace.h"
#include "runtime/base/lock.h"
#include "runtime/base/memory.h"
#include "runtime/base/thread.h"
#include "runtime/base/tsan.h"
#include <ulf/event.h>

#define PERIOD		(ULF_NESTING_MASK + 1)

/* Commands of membarrier() since Linux 5.10, which older headers do not define. */
#define PRIVATE_EXPEDITED_RSEQ		(1 << 7)
#define REGISTER_PRIVATE_EXPEDITED_RSEQ	(1 << 8)

unsigned long ulf_grace_period = PERIOD + 1;

static bool has_rseq;			/* true: membarrier() can restart rseq
					 * sections */

bool grace_has_rseq(void)
{
	return has_rseq;
}

static void *garbage;			/* list of memory_defer(): memory that the next
					 * grace_wait() frees; protected by
					 * runtime_lock() */

void grace_init(void)
{
	arch_syscall2(SYS_membarrier,
		      MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0);
	arch_syscall2(SYS_membarrier,
		      MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED_SYNC_CORE, 0);
	if (!arch_syscall2(SYS_membarrier, REGISTER_PRIVATE_EXPEDITED_RSEQ, 0))
		has_rseq = true;
}

/* Replacement for membarrier() where membarrier() fails: remove the access rights of a
 * memory page.  The kernel then interrupts every CPU that runs this process, and an
 * interrupt is a barrier. */
static void barrier_by_mprotect(void)
{
	long mem = arch_syscall6(SYS_mmap, 0, ARCH_PAGE_BYTES, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (arch_is_error(mem))
		return;
	/* cppcheck-suppress nullPointerRedundantCheck ; mem < 0 is an error */
	*(volatile char *)mem = 1;
	arch_syscall3(SYS_mprotect, mem, ARCH_PAGE_BYTES, PROT_NONE);
	arch_syscall2(SYS_munmap, mem, ARCH_PAGE_BYTES);
}

static void barrier_everywhere(void)
{
	if (!arch_syscall2(SYS_membarrier,
			   MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0))
		return;
	grace_init();
	if (arch_syscall2(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0))
		barrier_by_mprotect();
}

int grace_restart_sections(void)
{
	long r;

	if (!has_rseq)
		return 0;
	r = arch_syscall2(SYS_membarrier, PRIVATE_EXPEDITED_RSEQ, 0);
	if (r) {
		grace_init();
		r = arch_syscall2(SYS_membarrier, PRIVATE_EXPEDITED_RSEQ, 0);
	}
	return (int)r;
}

struct wait {
	unsigned long period;		/* the wait is for threads whose nesting word
					 * has a lower period number */
	uint64_t deadline_ns;		/* time at which the wait ends, CLOCK_MONOTONIC;
					 * 0: no limit */
	long pid, tid;			/* process id and thread id of the waiting
					 * thread */
};

static uint64_t now_ns(void)
{
	struct timespec ts;

	arch_syscall2(SYS_clock_gettime, CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000ull + (uint64_t)ts.tv_nsec;
}

static bool is_old(struct thread_slot *slot, unsigned long period)
{
	unsigned long nesting = __atomic_load_n(&slot->thread.nesting,
						__ATOMIC_ACQUIRE); /* [grace.exit] */

	tsan_acquire(&slot->thread.nesting);
	return (nesting & ULF_NESTING_MASK) &&
	       (nesting | ULF_NESTING_MASK) < (period | ULF_NESTING_MASK);
}

static int wait_for(struct thread_slot *slot, void *arg)
{
	const struct wait *wait = arg;
	struct timespec pause = { 0, 50000 };
	unsigned int spins = 0;

	/* Do not wait for the waiting thread itself, which is in no probe.  Its nesting
	 * word can differ from 0 all the same, if the thread has left a probe by
	 * siglongjmp(). */
	if (slot->thread.tid == wait->tid)
		return 0;
	while (is_old(slot, wait->period)) {
		if (++spins < 200) {
			arch_relax();
			continue;
		}
		/* Do not wait for a thread that has died inside a probe. */
		if (arch_syscall3(SYS_tgkill, wait->pid, slot->thread.tid,
				  0) == -ESRCH)
			return 0;
		if (wait->deadline_ns && now_ns() > wait->deadline_ns)
			return -ETIMEDOUT;
		arch_syscall2(SYS_nanosleep, &pause, NULL);
	}
	return 0;
}

int grace_wait(int timeout_ms)
{
	struct wait wait = {
		.pid = arch_syscall0(SYS_getpid), .tid = arch_syscall0(SYS_gettid),
	};
	int restarted, r;
	void *list;

	if (timeout_ms >= 0)
		wait.deadline_ns = now_ns() + (uint64_t)timeout_ms * 1000000;
	runtime_lock();
	list = garbage;
	garbage = NULL;
	wait.period = __atomic_add_fetch(&ulf_grace_period, PERIOD,
					 __ATOMIC_SEQ_CST);
	runtime_unlock();
	barrier_everywhere();				/* [grace.enter] */
	restarted = grace_restart_sections();			/* [grace.rseq] */
	r = thread_for_each(wait_for, &wait);
	barrier_everywhere();				/* [grace.exit] */
	r = r ? r : restarted;
	if (r) {
		runtime_lock();
		memory_defer_all(&garbage, list);
		runtime_unlock();
	} else {
		memory_free_deferred(list);
	}
	return r;
}

void grace_free(void *ptr)
{
	memory_defer(&garbage, ptr);
}
