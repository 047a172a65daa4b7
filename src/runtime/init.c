/* SPDX-License-Identifier: MIT */
/* Start, exit and fork of the program that we are in. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "arch/arch.h"
#include "runtime/runtime.h"

/* Recursive: a walk over tracepoints may register probes. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static bool is_initialized;		/* by the first constructor */
static bool is_exiting;			/* by exit() */

bool runtime_is_exiting(void)
{
	return __atomic_load_n(&is_exiting, __ATOMIC_RELAXED);
}

void runtime_lock(void)
{
	pthread_mutex_lock(&lock);
}

void runtime_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

/* Runs before the destructors of the program and its libraries: what they
 * would take away stays described in the dead root. */
static void at_exit(void)
{
	__atomic_store_n(&is_exiting, true, __ATOMIC_RELAXED);
	root_remove_if_unused();
}

static void fork_prepare(void)
{
	runtime_lock();
}

static void fork_parent(void)
{
	runtime_unlock();
}

/* Only this thread exists here; the text, the probes and the ring sets are
 * those of the parent, as the lock was held. */
static void fork_child(void)
{
	struct abi_process *parent = process_slot;

	lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
	thread_after_fork();
	if (!root_control)
		return;
	process_slot = NULL;
	if (!process_claim(parent))
		agent_start();
}

static bool is_wanted(void)
{
	const char *disable;

	if (getauxval(AT_SECURE))
		return false;
	disable = getenv("ULF_DISABLE");
	return !disable || !*disable || (disable[0] == '0' && !disable[1]);
}

void runtime_init(void)
{
	if (is_initialized)
		return;
	is_initialized = true;
	grace_init();
	pthread_atfork(fork_prepare, fork_parent, fork_child);
	if (!is_wanted() || root_create())
		return;
	if (process_claim(NULL))
		return;
	atexit(at_exit);
	agent_start();
}

__attribute__((constructor(101))) static void library_coming(void)
{
	runtime_init();
}
