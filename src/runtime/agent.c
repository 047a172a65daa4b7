/* SPDX-License-Identifier: MIT */
/*
 * The agent: one thread in each process of the root that makes the process
 * follow what the server wrote into the control block.  It waits on the
 * generation word, needs no descriptor, has all signals blocked and a small
 * stack.
 *
 *	server				agent
 *	wishes
 *	generation++ (release)  ----->	load (acquire) [agent.wish]
 *	futex wake			apply
 *	wait for applied	<-----	applied = generation (release)
 *					futex wake	[agent.ack]
 */
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "arch/arch.h"
#include "base/testpoint.h"
#include "runtime/runtime.h"

#define STACK_BYTES	(128 * 1024)
#define SETTLE_MS	100
#define STARTED_NS	50000000	/* by then the program is in main() */

static int apply(void)
{
	int ret = 0, r;

	runtime_lock();
	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		r = buffer_follow(i);
		if (r && !ret)
			ret = r;
	}
	for (struct ulf_module *m = module_first(); m; m = m->next) {
		r = event_follow(m);
		if (r && !ret)
			ret = r;
	}
	r = site_update_all();
	runtime_unlock();
	return ret ? ret : r;
}

static void answer(uint32_t generation, int error, bool is_settled)
{
	uint32_t flags = ABI_PROCESS_AGENT;

	if (!is_settled)
		flags |= ABI_PROCESS_UNSETTLED;
	__atomic_store_n(&process_slot->flags, flags, __ATOMIC_RELAXED);
	__atomic_store_n(&process_slot->error, (uint32_t)-error,
			 __ATOMIC_RELAXED);
	TESTPOINT("agent.applied");
	__atomic_store_n(&process_slot->applied, generation,
			 __ATOMIC_RELEASE);			/* [agent.ack] */
	arch_syscall3(SYS_futex, &process_slot->applied, FUTEX_WAKE, INT_MAX);
}

static void *agent(void *arg)
{
	struct timespec started = { 0, STARTED_NS };
	uint32_t applied = process_slot->applied;
	int error;

	(void)arg;
	arch_syscall2(SYS_prctl, PR_SET_NAME, "ulf-agent");
	/* for a program whose events are all in libraries */
	arch_syscall4(SYS_futex, &root_control->generation, FUTEX_WAIT, applied,
		      &started);
	runtime_watch_exit();
	for (;;) {
		uint32_t wanted = __atomic_load_n(&root_control->generation,
						  __ATOMIC_ACQUIRE);
		/* mate: the server [agent.wish] */
		if (wanted == applied) {
			arch_syscall4(SYS_futex, &root_control->generation,
				      FUTEX_WAIT, wanted, NULL);
			continue;
		}
		error = apply();
		answer(wanted, error, !grace_wait(SETTLE_MS));
		applied = wanted;
	}
	return NULL;
}

/* Signals are blocked before the thread exists, so that it never has one
 * unblocked. */
int agent_start(void)
{
	pthread_attr_t attr;
	sigset_t all, old;
	pthread_t thread;
	int saved = errno, r;

	sigfillset(&all);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	__atomic_store_n(&process_slot->flags, ABI_PROCESS_AGENT,
			 __ATOMIC_RELAXED);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = pthread_create(&thread, &attr, agent, NULL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&attr);
	errno = saved;
	if (r)
		__atomic_store_n(&process_slot->flags, 0, __ATOMIC_RELAXED);
	return -r;
}
