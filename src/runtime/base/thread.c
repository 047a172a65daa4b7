/* SPDX-License-Identifier: MIT */
/*
 * Slots of the threads that have called a probe.  A thread claims a slot at its first
 * hit and keeps it, because a signal handler cannot safely register a function that runs
 * at the end of its thread.  When no slot is free, those of dead threads are found and
 * freed ("swept").
 *
 *	word			writer				readers
 *	slot.thread.tid		CAS 0 -> tid: a new thread	all threads
 *				dead tid -> TID_SWEPT -> 0: the sweeping thread
 *				tid -> 0: its thread (thread_take_back())
 *	slot.thread.nesting	its thread and its handlers	grace_wait()
 *	chunk.next		CAS NULL -> chunk: any thread	all threads
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "base/testpoint.h"
#include "runtime/base/comm.h"
#include "runtime/base/part.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include <ulf/event.h>

#define FIRST_SLOTS	64
#define CHUNK_SLOTS	1024
#define TID_SWEPT	UINT32_MAX	/* tid of a slot while a sweep frees it; no
					 * thread has this id */

struct chunk {
	struct chunk *next;
	uint32_t nr;			/* number of @slots */
	struct thread_slot *slots;
};

static struct thread_slot first_slots[FIRST_SLOTS];
static struct chunk first = { .nr = FIRST_SLOTS, .slots = first_slots };

static bool is_sweeping;

__thread struct ulf_thread *ulf_this_thread;
bool thread_may_hit;

static struct chunk *next_chunk(const struct chunk *chunk)
{
	return __atomic_load_n(&chunk->next, __ATOMIC_ACQUIRE); /* [thread.chunk] */
}

int thread_for_each(int (*fn)(struct thread_slot *slot, void *arg), void *arg)
{
	for (struct chunk *c = &first; c; c = next_chunk(c)) {
		for (uint32_t i = 0; i < c->nr; i++) {
			int r = fn(&c->slots[i], arg);

			if (r)
				return r;
		}
	}
	return 0;
}

struct claim {
	uint32_t tid;
	struct thread_slot *slot;
};

static int try_claim(struct thread_slot *slot, void *arg)
{
	struct claim *claim = arg;
	uint32_t free = 0;

	if (__atomic_load_n(&slot->thread.tid, __ATOMIC_RELAXED))
		return 0;
	if (!__atomic_compare_exchange_n(&slot->thread.tid, &free, claim->tid,
					 false, __ATOMIC_ACQUIRE, /* [thread.slot] */
					 __ATOMIC_RELAXED))
		return 0;
	claim->slot = slot;
	return 1;
}

/*
 * Free @slot if its thread is dead.  A dead thread runs no probe, even if its nesting
 * is not 0, because it was killed or left a probe by longjmp().  The CAS is needed
 * because the thread may have given the slot back before it died; then the slot may
 * already have another owner, and the CAS fails.
 */
static int sweep_slot(struct thread_slot *slot, void *arg)
{
	uint32_t tid = __atomic_load_n(&slot->thread.tid, __ATOMIC_RELAXED);
	long pid = *(long *)arg;

	TESTPOINT("thread.sweep");
	if (!tid || arch_syscall3(SYS_tgkill, pid, tid, 0) != -ESRCH ||
	    !__atomic_compare_exchange_n(&slot->thread.tid, &tid, TID_SWEPT, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return 0;
	__atomic_store_n(&slot->thread.nesting, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->thread.tid, 0, __ATOMIC_RELEASE);	/* [thread.slot] */
	return 0;
}

/*
 * Free the slots of all dead threads.  Only one thread at a time does this, because a
 * second thread could free a slot that the first has freed and a new thread has claimed.
 * If another sweep has not ended yet, return and do not wait: the caller may be a signal
 * handler in the thread that sweeps, and would wait for ever.
 */
static void sweep_all(void)
{
	long pid = arch_syscall0(SYS_getpid);

	if (__atomic_exchange_n(&is_sweeping, true, __ATOMIC_ACQUIRE))	/* [thread.sweep] */
		return;
	thread_for_each(sweep_slot, &pid);
	__atomic_store_n(&is_sweeping, false, __ATOMIC_RELEASE);	/* [thread.sweep] */
}

static void add_chunk(void)
{
	size_t slots = CHUNK_SLOTS * sizeof(struct thread_slot);
	size_t bytes = slots + sizeof(struct chunk);
	long mem = arch_syscall6(SYS_mmap, 0, (long)bytes,
				 PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct chunk *chunk = (struct chunk *)(mem + (long)slots);
	struct chunk *last = &first, *none;

	if (arch_is_error(mem))
		return;
	chunk->nr = CHUNK_SLOTS;
	chunk->slots = (struct thread_slot *)mem;
	do {
		while (next_chunk(last))
			last = next_chunk(last);
		none = NULL;
	} while (!__atomic_compare_exchange_n(&last->next, &none, chunk, false,
					      __ATOMIC_RELEASE, /* [thread.chunk] */
					      __ATOMIC_RELAXED));
}

/* Call the method thread_new() of every part, before this thread uses @slot. */
static void init_slot(struct thread_slot *slot)
{
	const struct runtime_part *part;

	for_each_runtime_part(part, thread_new)
		part->thread_new(slot);
}

static void thread_named(void)
{
	const struct runtime_part *part;

	for_each_runtime_part(part, thread_named)
		part->thread_named();
}

/*
 * Claim a thread slot for this thread.  @has_hit: record the thread's name, too.
 * Returns NULL if there is no memory.  A signal handler that interrupts this function
 * may call this function, too.  Then the thread has claimed two slots, and one of them
 * stays unused until the thread is dead.
 */
static struct ulf_thread *attach_thread(bool has_hit)
{
	struct claim claim = {
		.tid = (uint32_t)arch_syscall0(SYS_gettid),
	};

	if (!thread_for_each(try_claim, &claim)) {
		sweep_all();
		if (!thread_for_each(try_claim, &claim)) {
			add_chunk();
			if (!thread_for_each(try_claim, &claim))
				return NULL;
		}
	}
	__atomic_store_n(&claim.slot->thread.nesting, 0, __ATOMIC_RELAXED);
	init_slot(claim.slot);
	if (has_hit)
		comm_record(claim.tid);
	ulf_this_thread = &claim.slot->thread;
	thread_named();
	return ulf_this_thread;
}

struct ulf_thread *ulf_thread_attach(void)
{
	return attach_thread(true);
}

/* Give a thread slot to this thread.  The thread's name is recorded only if the server
 * has ever changed a setting, because no hit is recorded before that. */
void thread_lend(void)
{
	if (root_control || __atomic_load_n(&thread_may_hit, __ATOMIC_RELAXED))
		attach_thread(root_control && root_has_settings());
}

/*
 * Free the slot of this thread.  The order of the stores matters, because a signal handler
 * may run between any two of them.  In this order the handler always finds a slot or
 * claims one, and leaves valid words.  No other thread writes to the slot of a live
 * thread.  If thread_lend() found no slot, a child of vfork() may have claimed one
 * since.  That slot has the child's tid, and must not be freed here.
 */
void thread_take_back(void)
{
	struct ulf_thread *thread = ulf_this_thread;
	const struct runtime_part *part;

	for_each_runtime_part(part, thread_forget)
		part->thread_forget();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ulf_this_thread = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!thread || thread->tid != (uint32_t)arch_syscall0(SYS_gettid))
		return;
	__atomic_store_n(&thread->nesting, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&thread->tid, 0, __ATOMIC_RELEASE);	/* [thread.slot] */
}

static int forget_others(struct thread_slot *slot, void *arg)
{
	(void)arg;
	if (&slot->thread == ulf_this_thread || !slot->thread.tid)
		return 0;		/* do not write to a free slot, so that its
					 * memory page stays shared with the parent */
	slot->thread.nesting = 0;
	slot->thread.tid = 0;
	return 0;
}

void thread_after_fork(void)
{
	if (is_sweeping)
		is_sweeping = false;
	thread_for_each(forget_others, NULL);
	if (ulf_this_thread) {
		ulf_this_thread->tid = (uint32_t)arch_syscall0(SYS_gettid);
		comm_record(ulf_this_thread->tid);
		init_slot((struct thread_slot *)ulf_this_thread);
		thread_named();
	}
}
