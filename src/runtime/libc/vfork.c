/* SPDX-License-Identifier: MIT */
/*
 * vfork(), so that its child may hit events and traced functions.  It has the memory of
 * its parent, which waits: its thread-local words, its stack, its rseq area.
 *
 *	word				what the child would do to it
 *	the rseq area			the kernel does not know that it uses it: it would be
 *					on the CPU on which its parent was, and not be
 *					restarted
 *	ulf_this_thread			take a slot under its own number, which its parent
 *					would go on with
 *	its nesting, ftrace_this	leave them as they are when it is killed: in a probe,
 *					in a callback, deep in followed calls
 *
 * So the parent takes its area back from the kernel before: from then on the area says
 * that its thread is on no CPU, and parent and child, and their handlers, write to the slow
 * rings, as threads without rseq do.  When the child has done exec() or is dead the parent
 * puts the other words back as they were, and gives the area to the kernel again.
 *
 * A handler may come between any two of these.  It finds the area as it is for the
 * kernel, and the other words as its thread has them; it leaves them so.  One that
 * calls vfork() while the area is taken back cannot take it, and so does not
 * give it; nor does a child.  One that jumps out leaves its thread without rseq.
 *
 * Where the kernel does not let it go, because a filter of the program's (seccomp) refuses
 * that, the child is the one who writes there that it is on no CPU, before anything else.
 * The kernel puts the parent's number there again, at the latest when it moves to another.
 *
 * In libulf.so alone: where a program calls another one it is as with a bare clone(), see
 * "Where it does not hold" in docs/design/ring.md.  Under a sanitizer, which has
 * one too and must see the child, ours is only used by that.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <unistd.h>

#include "arch/arch.h"
#include "arch/x86_64/offsets.h"
#include "runtime/function/ftrace.h"
#include "runtime/runtime.h"

#define HIDDEN	__attribute__((visibility("hidden")))

/* In registers: what vfork_begin() found, and did. */
struct before {
	uint64_t nesting;
	uint64_t marks;
};

enum {
	MARK_LEFT	= 1,		/* the area is to be given back */
	MARK_CALLBACK	= 2,		/* ftrace_this.is_in_callback */
	MARK_LENT	= 4,		/* it had no slot: it has one for this */
	MARK_KEPT	= VFORK_KEPT,	/* the area could not be taken back */
};

/* ---- vfork.S, and what it needs ---- */

pid_t vfork_here(void) HIDDEN;
struct before vfork_begin(void) HIDDEN;
pid_t vfork_end(long child, struct before before, uint64_t top) HIDDEN;
/* Whose it is instead, or NULL.  By a constructor. */
extern pid_t (*vfork_next)(void) HIDDEN;

pid_t (*vfork_next)(void);

struct before vfork_begin(void)
{
	struct ulf_thread *thread = ulf_this_thread;
	struct before before = { 0, 0 };

	if (thread) {
		before.nesting = __atomic_load_n(&thread->nesting, __ATOMIC_RELAXED);
	} else {
		thread_lend();
		before.marks |= MARK_LENT;
	}
	if (ftrace_this.is_in_callback)
		before.marks |= MARK_CALLBACK;
	/* Who has no root has no rings. */
	if (root_control)
		before.marks |= arch_rseq_leave() ? MARK_LEFT : MARK_KEPT;
	return before;
}

pid_t vfork_end(long child, struct before before, uint64_t top)
{
	if (!(before.marks & MARK_LENT))
		__atomic_store_n(&ulf_this_thread->nesting, before.nesting,
				 __ATOMIC_RELEASE);
	if (before.marks & MARK_LEFT)
		arch_rseq_join();
	ftrace_thread_restore(top, before.marks & MARK_CALLBACK);
	if (before.marks & MARK_LENT)
		thread_take_back();
	if (child >= 0)
		return (pid_t)child;
	errno = (int)-child;
	return -1;
}

/* A sanitizer's comes first, unless libulf was preloaded before it, and calls ours; else
 * it is to be called. */
__attribute__((constructor(101))) static void look_for_next(void)
{
	if (agent_is_watched() && dlsym(RTLD_DEFAULT, "vfork") == (void *)vfork_here)
		*(void **)&vfork_next = dlsym(RTLD_NEXT, "vfork");
}
