/* SPDX-License-Identifier: MIT */
/*
 * A thread of libc's for functions of the program that the agent must not call
 * itself: it is no thread of libc's.  Only programs that have such functions
 * (TRACE_EVENT_FN) have this thread.  docs/design/regfunc.md says why it is as
 * it is.
 *
 * call: a futex on which both wait
 *
 *	IDLE --agent--> ASKED --caller--> DONE --agent--> IDLE
 *	IDLE --caller, or nobody could be started--> GONE
 *
 * The main thread adds MAIN_GONE when it leaves the program to its other
 * threads: then the caller must not be the one that keeps it alive.
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arch/arch.h"
#include "runtime/runtime.h"

enum {
	IDLE,
	ASKED,
	DONE,
	GONE,
	STATES		= 3,		/* mask */
	MAIN_GONE	= 4,
};

#define ALONE_MS	100		/* between two looks around */

static uint32_t call;
static int result;			/* of the call, once it is DONE */

static bool is_started;			/* by the first module with calls */
static bool is_needed;			/* the same, and in children, too */
static pthread_key_t main_key;		/* the main thread has a value */
static sigset_t main_mask;		/* its signals when it went */
static __thread bool is_caller;
static bool is_callers_child;		/* by fork() in a function */

static void change(uint32_t from, uint32_t to)
{
	uint32_t seen = __atomic_load_n(&call, __ATOMIC_RELAXED);

	/* [caller.call]: each sees what the other did before */
	while ((seen & STATES) == from &&
	       !__atomic_compare_exchange_n(&call, &seen,
					    (seen & ~(uint32_t)STATES) | to,
					    false, __ATOMIC_ACQ_REL,
					    __ATOMIC_RELAXED))
		;
	arch_syscall3(SYS_futex, &call, FUTEX_WAKE_PRIVATE, INT_MAX);
}

static uint32_t state(void)
{
	return __atomic_load_n(&call, __ATOMIC_ACQUIRE); /* [caller.call] */
}

bool caller_is_this(void)
{
	return is_caller;
}

bool caller_ask(int *ret_result)
{
	uint32_t seen;

	change(IDLE, ASKED);
	while (((seen = state()) & STATES) == ASKED)
		arch_syscall4(SYS_futex, &call, FUTEX_WAIT_PRIVATE, seen, NULL);
	if ((seen & STATES) != DONE) {
		*ret_result = 0;
		return is_callers_child;
	}
	*ret_result = result;
	change(DONE, IDLE);
	return true;
}

/* Is no thread left but this one, the agent, and what remains of the main
 * one?  A directory of tasks has a link for each of them, and two. */
static bool is_alone(void)
{
	struct stat st;

	return stat("/proc/self/task", &st) || st.st_nlink <= 2 + 3;
}

static void *caller(void *arg)
{
	struct timespec pause = { 0, ALONE_MS * 1000000 };

	is_caller = true;
	prctl(PR_SET_NAME, "ulf-caller");
	for (;;) {
		uint32_t seen = state();

		if ((seen & STATES) == ASKED) {
			result = event_make_calls();
			change(ASKED, DONE);
			continue;
		}
		if ((seen & MAIN_GONE) && is_alone())
			change(IDLE, GONE);
		if ((state() & STATES) == GONE)
			break;
		arch_syscall4(SYS_futex, &call, FUTEX_WAIT_PRIVATE, seen,
			      seen & MAIN_GONE ? &pause : NULL);
	}
	/* If it is the last one, libc calls exit() in it. */
	pthread_sigmask(SIG_SETMASK, &main_mask, NULL);
	return arg;
}

static void main_goes(void *value)
{
	(void)value;
	pthread_sigmask(SIG_SETMASK, NULL, &main_mask);
	__atomic_or_fetch(&call, MAIN_GONE, __ATOMIC_RELEASE);
	arch_syscall3(SYS_futex, &call, FUTEX_WAKE_PRIVATE, INT_MAX);
}

/* Signals are blocked in it from the start; not by our own system call, as
 * libc uses some in all of its threads. */
static void start(void)
{
	sigset_t all, old;
	pthread_attr_t attr;
	pthread_t thread;
	int saved = errno, r;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, caller, NULL);
	pthread_attr_destroy(&attr);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (r) {
		change(IDLE, GONE);
		change(ASKED, GONE);
	}
	if (arch_syscall0(SYS_gettid) == arch_syscall0(SYS_getpid))
		pthread_setspecific(main_key, &main_key);
	errno = saved;
}

/* The agent of the child runs already, and may have asked. */
static void after_fork(void)
{
	if (process_slot && !is_caller)
		start();
}

/* The program's allocator has locks of its own around fork().  It has made
 * itself known to libc by now, so in a child ours is called after it. */
void caller_start(void)
{
	if (is_needed || pthread_key_create(&main_key, main_goes))
		return;
	is_started = true;
	start();
	is_needed = !pthread_atfork(NULL, NULL, after_fork);
}

/* A child of the caller's own is in the middle of one of the functions, with its
 * tracepoint entered, and may never come back from it. */
void caller_reset(void)
{
	if (!is_started)		/* and the page stays shared */
		return;
	is_callers_child = is_caller;
	call = is_needed && !is_caller ? IDLE : GONE;
}
