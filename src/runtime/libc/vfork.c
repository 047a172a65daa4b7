/* SPDX-License-Identifier: MIT */
/*
 * Replace vfork(), so that its child may hit events and traced functions.  The child uses
 * the memory of its parent, which waits: the parent's thread-local words, stack and rseq
 * area.
 *
 *	word				what goes wrong in the child without this file
 *	the rseq area			the kernel does not know that the child uses it: the
 *					area holds the parent's CPU number, and the kernel
 *					does not restart the child's rseq sections
 *	ulf_this_thread			the child claims a slot with its own thread id, and
 *					the parent goes on with that slot
 *	ulf_thread.nesting, ftrace_this a child that is killed in a probe, in a callback
 *					or in followed calls leaves in them the values
 *					that it had there
 *
 * So the parent unregisters its rseq area before vfork().  Then the area says that the
 * thread is on no CPU.  So parent and child, and their signal handlers, write to the slow
 * rings, as threads without rseq do.  When the child has called exec() or has died, the
 * parent restores the other words and registers the area again.
 *
 * A signal handler may run between any two of these steps.  It finds the area as the kernel
 * knows it, and the other words as its thread has them, and leaves them so.  If a
 * handler or a child calls vfork() while the area is unregistered, it cannot unregister
 * the area, and so it does not register the area afterwards.  If a handler ends by a
 * jump (longjmp()) while the area is unregistered, its thread stays without rseq.
 *
 * A seccomp filter of the program may forbid to unregister the area.  Then the child
 * itself stores "on no CPU" in the area, before anything else (vfork.S).  The kernel
 * stores the parent's CPU number again, at the latest when the parent moves to another
 * CPU.
 *
 * Only libulf.so has this function.  If a program calls another vfork(), the effect is that
 * of a bare clone(): see "Where it does not hold" in docs/design/ring.md.  A sanitizer has
 * a vfork() too, which must see the child.  Under a sanitizer only that function calls
 * this one.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <unistd.h>

#include "arch/arch.h"
#include "runtime/agent.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include "runtime/function/ftrace.h"
#include <ulf/event.h>

#define HIDDEN	__attribute__((visibility("hidden")))

/* State of the thread before vfork_begin(), and marks that say what vfork_begin() has done.
 * vfork.S keeps the struct in registers, because the child overwrites the stack. */
struct before {
	uint64_t nesting;		/* value of ulf_thread.nesting; not used with MARK_LENT */
	uint64_t marks;			/* the marks MARK_..., one bit for each */
};

enum {
	MARK_LEFT	= 1,		/* mark: vfork_end() must register the rseq
					 * area again */
	MARK_CALLBACK	= 2,		/* mark: ftrace_this.is_in_callback was set */
	MARK_LENT	= 4,		/* mark: the thread had no thread slot, and
					 * uses a lent slot until vfork_end() */
	MARK_KEPT	= ARCH_VFORK_KEPT,	/* mark: the rseq area could not be
						 * unregistered */
};

/* ---- vfork() in vfork.S, and the functions that it calls ---- */

/* The address of libulf's vfork(), even if another object's vfork() comes first in the
 * search order. */
pid_t vfork_here(void) HIDDEN;
/* Called before the system call: saves the thread's state and unregisters its rseq area. */
struct before vfork_begin(void) HIDDEN;
/*
 * Runs in the parent after the system call: restores the thread's state and registers the
 * rseq area again.
 * @child: result of the system call: the child's pid, or -errno
 * @top: ftrace_this.top at vfork_begin()
 * Returns the result of vfork(), and sets errno if that is -1.
 */
pid_t vfork_end(long child, struct before before, uint64_t top) HIDDEN;
/* The vfork() of a sanitizer, to which libulf's vfork() jumps instead of running its own
 * code; NULL: there is none.  A constructor sets this pointer. */
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
	/* In a process without a root, leave the rseq area registered.  Such a process
	 * has no rings, so it does not matter what its rseq area contains. */
	if (root_control)
		before.marks |= arch_rseq_leave() ? MARK_LEFT : MARK_KEPT;
	return before;
}

pid_t vfork_end(long child, struct before before, uint64_t top)
{
	if (!(before.marks & MARK_LENT))
		__atomic_store_n(&ulf_this_thread->nesting, before.nesting,
				 __ATOMIC_RELEASE);	/* [grace.exit] */
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

/* Find the vfork() of a sanitizer.  Usually the sanitizer's vfork() is found first and
 * calls libulf's.  If libulf was preloaded before the sanitizer, libulf's vfork() is
 * found first, and must jump to the sanitizer's. */
__attribute__((constructor(101))) static void find_sanitizers_vfork(void)
{
	if (agent_is_watched() && dlsym(RTLD_DEFAULT, "vfork") == (void *)vfork_here)
		*(void **)&vfork_next = dlsym(RTLD_NEXT, "vfork");
}
