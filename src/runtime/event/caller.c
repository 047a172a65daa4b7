/* SPDX-License-Identifier: MIT */
/*
 * The caller: a thread that calls functions of the program for the agent.  The agent
 * itself must not call them, because libc did not create it.  Only programs that have
 * such functions (TRACE_EVENT_FN) have this thread.  docs/design/regfunc.md explains the
 * design.
 *
 * `call` is a futex on which both threads wait.  Its states:
 *
 *	IDLE --agent--> ASKED --caller--> DONE --agent--> IDLE
 *	IDLE --the caller exits, or could not be started--> GONE
 *	ASKED --the caller could not be started--> GONE
 *
 * When the main thread ends by pthread_exit() and other threads continue to run, it
 * adds the flag MAIN_GONE.  From then on the caller ends when no other thread of the
 * program is left, so that it does not keep the process alive.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "runtime/base/lock.h"
#include "runtime/base/process.h"
#include "runtime/base/thread.h"
#include "runtime/event/caller.h"
#include "runtime/event/event.h"
#include "runtime/event/site.h"

enum {
	IDLE,
	ASKED,
	DONE,
	GONE,
	STATES		= 3,		/* mask of the bits of `call` that are IDLE,
					 * ASKED, DONE or GONE */
	MAIN_GONE	= 4,
};

#define ALONE_MS	100		/* time between two checks whether the caller
					 * is alone (is_alone()), ms */

static uint32_t call;			/* state of the caller: IDLE, ASKED, DONE or
					 * GONE, possibly with the flag MAIN_GONE */
static int result;			/* result of event_make_calls(); valid only in
					 * the state DONE */

static bool is_started;			/* true: caller_start() has run, because a
					 * module has functions that must be called */
static bool is_needed;			/* true: after_fork() is registered, so that
					 * children start a caller, too */
static pthread_key_t main_key;		/* key whose destructor runs when the main thread ends */
static sigset_t main_mask;		/* signal mask of the main thread when it ended */
static __thread bool is_caller;		/* true only in the thread that is the caller */
static bool is_callers_child;		/* true: the caller forked this process, in a
					 * function of the program */

/* Change the state in `call` from @from to @to, keep MAIN_GONE, and wake the other
 * thread.  Any state other than @from is left unchanged. */
static void change_state(uint32_t from, uint32_t to)
{
	uint32_t seen = __atomic_load_n(&call, __ATOMIC_RELAXED);

	/* acquire and release: a thread that reads the new state also sees all stores
	 * that the other thread made before it changed the state, such as to `result`
	 * [caller.call] */
	while ((seen & STATES) == from &&
	       !__atomic_compare_exchange_n(&call, &seen,
					    (seen & ~(uint32_t)STATES) | to,
					    false, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED))
		;
	arch_syscall3(SYS_futex, &call, FUTEX_WAKE_PRIVATE, INT_MAX);
}

static uint32_t load_state(void)
{
	return __atomic_load_n(&call, __ATOMIC_ACQUIRE); /* [caller.call] */
}

bool caller_is_this(void)
{
	return is_caller;
}

/* Make the caller run event_make_calls(), wait until it returns, and store its result in
 * *@ret_result.  Returns false if there is no caller.  A process that the caller has forked has
 * no caller either; but there this function does nothing, stores 0 and returns true. */
static bool ask_caller(int *ret_result)
{
	uint32_t seen;

	change_state(IDLE, ASKED);
	while (((seen = load_state()) & STATES) == ASKED)
		arch_syscall4(SYS_futex, &call, FUTEX_WAIT_PRIVATE, seen, NULL);
	if ((seen & STATES) != DONE) {
		*ret_result = 0;
		return is_callers_child;
	}
	*ret_result = result;
	change_state(DONE, IDLE);
	return true;
}

int caller_make_calls(void)
{
	bool is_asked;
	int ret, r;

	is_asked = ask_caller(&ret);
	runtime_lock();
	if (!is_asked) {
		ret = -EAGAIN;
		event_give_up_calls(ret);
	}
	r = site_update_all();
	runtime_unlock();
	return ret ? ret : r;
}

/* Returns true if the only threads left are the caller, the agent and the ended main thread.
 * The link count of the directory /proc/self/task is the number of threads plus 2.  Also
 * returns true if there is no /proc. */
static bool is_alone(void)
{
	struct stat st;

	return stat("/proc/self/task", &st) || st.st_nlink <= 2 + 3;
}

static void *caller_main(void *arg)
{
	struct timespec pause = { 0, ALONE_MS * 1000000 };

	is_caller = true;
	prctl(PR_SET_NAME, "ulf-caller");
	for (;;) {
		uint32_t seen = load_state();

		if ((seen & STATES) == ASKED) {
			result = event_make_calls();
			change_state(ASKED, DONE);
			continue;
		}
		if ((seen & MAIN_GONE) && is_alone())
			change_state(IDLE, GONE);
		if ((load_state() & STATES) == GONE)
			break;
		arch_syscall4(SYS_futex, &call, FUTEX_WAIT_PRIVATE, seen,
			      seen & MAIN_GONE ? &pause : NULL);
	}
	/* Use the main thread's signal mask: if this thread is the last one, libc calls
	 * exit() in it, and exit handlers must run with that mask. */
	pthread_sigmask(SIG_SETMASK, &main_mask, NULL);
	return arg;
}

/* Destructor of main_key, which runs in the main thread when it ends by pthread_exit(). */
static void main_goes(void *value)
{
	(void)value;
	pthread_sigmask(SIG_SETMASK, NULL, &main_mask);
	__atomic_or_fetch(&call, MAIN_GONE, __ATOMIC_RELEASE);	/* [caller.call] */
	arch_syscall3(SYS_futex, &call, FUTEX_WAKE_PRIVATE, INT_MAX);
}

/* Start the caller with all signals blocked from its first instruction on.  Block them
 * with pthread_sigmask(), which does not block the signals that libc needs in each of
 * its threads, instead of with the system call. */
static void start_caller(void)
{
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t thread;
	int saved = errno, r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, caller_main, NULL);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r) {
		change_state(IDLE, GONE);
		change_state(ASKED, GONE);
	}
	if (arch_syscall0(SYS_gettid) == arch_syscall0(SYS_getpid))
		pthread_setspecific(main_key, &main_key);
	errno = saved;
}

/* Handler that runs in the child after fork().  The child's agent runs already, and may
 * have set ASKED. */
static void after_fork(void)
{
	if (process_slot && !is_caller)
		start_caller();
}

/* Called when a module has functions that must be called (TRACE_EVENT_FN).  Registers
 * after_fork() only now, so that the allocator comes first.  The program's allocator
 * holds its locks during fork(), and has registered its atfork handlers by now.  In a
 * child, handlers run in the order of registration.  So after_fork() runs after those
 * of the allocator, and can allocate memory. */
void caller_start(void)
{
	if (is_needed || pthread_key_create(&main_key, main_goes))
		return;
	is_started = true;
	start_caller();
	is_needed = !pthread_atfork(NULL, NULL, after_fork);
}

/* Reset the state of the caller in a child of fork().  If the caller itself forked the
 * child, the child gets no caller, because its thread is inside of a regfunc or
 * unregfunc, from which it may never return, and holds the tracepoint's lock. */
void caller_after_fork(uint32_t old_tid)
{
	(void)old_tid;
	if (!is_started)		/* do not write to `call`, so that its memory
					 * page stays shared with the parent */
		return;
	is_callers_child = is_caller;
	call = is_needed && !is_caller ? IDLE : GONE;
}
