/* SPDX-License-Identifier: MIT */
/*
 * Threads that have called a probe.  A thread takes a slot at its first hit
 * and keeps it: there is no hook for the end of a thread that a
 * signal handler could set safely.  Slots of dead threads are found and
 * reused when no free one is left.
 *
 * word			writer				readers
 * slot.thread.tid	CAS 0 -> tid: a new thread	everybody
 *			dead tid -> TID_SWEPT -> 0: the one that sweeps
 *			tid -> 0: its thread (thread_take_back())
 * slot.thread.nesting	its thread (and its handlers)	grace_wait()
 * chunk.next		CAS NULL -> chunk: any thread	everybody
 */
#include <errno.h>
#include <sys/mman.h>

#include "arch/arch.h"
#include "base/testpoint.h"
#include "runtime/function/ftrace.h"
#include "runtime/runtime.h"

#define FIRST_SLOTS	64
#define CHUNK_SLOTS	1024
#define TID_SWEPT	UINT32_MAX	/* nobody's */

struct chunk {
	struct chunk *next;
	uint32_t nr;
	struct thread_slot *slots;
};

static struct thread_slot first_slots[FIRST_SLOTS];
static struct chunk first = { .nr = FIRST_SLOTS, .slots = first_slots };

static bool is_sweeping;

__thread struct ulf_thread *ulf_this_thread;
bool thread_may_hit;

static struct chunk *next_chunk(const struct chunk *chunk)
{
	return __atomic_load_n(&chunk->next, __ATOMIC_ACQUIRE); /* [chunk] */
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
					 false, __ATOMIC_ACQUIRE,
					 __ATOMIC_RELAXED))
		return 0;
	claim->slot = slot;
	return 1;
}

/* A dead thread runs no probe, whatever its nesting says: it was killed, or
 * left a probe by longjmp().  But it may have given the slot back before it died, and
 * then this is another's. */
static int sweep(struct thread_slot *slot, void *arg)
{
	uint32_t tid = __atomic_load_n(&slot->thread.tid, __ATOMIC_RELAXED);
	long pid = *(long *)arg;

	TESTPOINT("thread.sweep");
	if (!tid || arch_syscall3(SYS_tgkill, pid, tid, 0) != -ESRCH ||
	    !__atomic_compare_exchange_n(&slot->thread.tid, &tid, TID_SWEPT, false,
					 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		return 0;
	__atomic_store_n(&slot->thread.nesting, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&slot->thread.tid, 0, __ATOMIC_RELEASE);
	return 0;
}

/* One at a time: a second one could take a slot away that the first has freed
 * and a new thread has got.  It goes without rather than wait, as it may be
 * a handler in the thread of the first. */
static void sweep_all(void)
{
	long pid = arch_syscall0(SYS_getpid);

	if (__atomic_exchange_n(&is_sweeping, true, __ATOMIC_ACQUIRE))
		return;
	thread_for_each(sweep, &pid);
	__atomic_store_n(&is_sweeping, false, __ATOMIC_RELEASE);
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

	if (mem < 0 && mem > -4096)
		return;
	chunk->nr = CHUNK_SLOTS;
	chunk->slots = (struct thread_slot *)mem;
	do {
		while (next_chunk(last))
			last = next_chunk(last);
		none = NULL;
	} while (!__atomic_compare_exchange_n(&last->next, &none, chunk, false,
					      __ATOMIC_RELEASE, /* [chunk] */
					      __ATOMIC_RELAXED));
}

/* A handler may come in between and attach too: then one slot stays unused
 * until this thread is dead. */
static struct ulf_thread *attach(bool has_hit)
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
	stack_tracer_forget(claim.slot);
	if (has_hit)
		comm_record(claim.tid);
	ulf_this_thread = &claim.slot->thread;
	ftrace_thread_named();
	return ulf_this_thread;
}

struct ulf_thread *ulf_thread_attach(void)
{
	return attach(true);
}

/* It has a name only where there may be hits. */
void thread_lend(void)
{
	if (root_control || __atomic_load_n(&thread_may_hit, __ATOMIC_RELAXED))
		attach(root_control && root_is_wished());
}

/* The order of it: at any time a handler finds a slot, or takes one, and leaves words that
 * are right.  Nobody else touches the slot of a living thread; if there was none to be
 * lent, a child may have taken one, which is not ours to free. */
void thread_take_back(void)
{
	struct ulf_thread *thread = ulf_this_thread;

	ftrace_thread_forget();
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	ulf_this_thread = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!thread || thread->tid != (uint32_t)arch_syscall0(SYS_gettid))
		return;
	__atomic_store_n(&thread->nesting, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&thread->tid, 0, __ATOMIC_RELEASE);
}

static int forget_others(struct thread_slot *slot, void *arg)
{
	(void)arg;
	if (&slot->thread == ulf_this_thread || !slot->thread.tid)
		return 0;		/* its page may stay shared */
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
		stack_tracer_forget((struct thread_slot *)ulf_this_thread);
		ftrace_thread_named();
	}
}
