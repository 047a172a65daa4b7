/* SPDX-License-Identifier: MIT */
/* Start, exit and fork of the traced program. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "runtime/agent.h"
#include "runtime/base/grace.h"
#include "runtime/base/lock.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include "runtime/boot.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/pids.h"
#include "runtime/dump.h"
#include "runtime/event/module.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/function_option.h"
#include "runtime/function/object.h"
#include "runtime/function/profile.h"
#include "runtime/init.h"
#include "runtime/libc/caller.h"
#include "runtime/unwind/image.h"

#define EXIT_HANDLERS	64	/* limit: exit handlers to register; if there are more
				 * modules, one of these handlers still runs before the
				 * destructors */

static bool is_initialized;		/* set by the first constructor */
static bool is_exiting;			/* set by the first exit handler */

bool runtime_is_exiting(void)
{
	return __atomic_load_n(&is_exiting, __ATOMIC_RELAXED);
}

/* Set is_exiting: destructors of modules that run later leave their events described in
 * the dead root. */
static void at_exit(void)
{
	if (__atomic_exchange_n(&is_exiting, true, __ATOMIC_RELAXED) ||
	    !root_control)
		return;
	root_remove_if_unused();
}

/*
 * exit() runs handlers in the reverse order of their registration.  One of them runs the
 * destructors of the program and its libraries; libc registers it just before the
 * program's own constructors run.  So a handler that a library's constructor registers
 * runs too late, after the destructors.  A handler that is registered by the program's own
 * constructors, or by later code, runs before them.
 */
void runtime_watch_exit(void)
{
	static uint32_t handlers;

	if (__atomic_fetch_add(&handlers, 1, __ATOMIC_RELAXED) < EXIT_HANDLERS)
		atexit(at_exit);
}

static void follow_buffers(void)
{
	runtime_lock();
	for (uint32_t i = 0; i < ABI_BUFFERS; i++)
		buffer_follow(i);
	runtime_unlock();
}

static void follow_functions(void)
{
	runtime_lock();
	ftrace_follow();
	runtime_unlock();
}

/* A copy of the parent's slot, made before fork().  The child needs this state: the
 * parent's agent may change the slot before the child looks at it. */
static struct abi_process slot_at_fork;

static void fork_prepare(void)
{
	runtime_lock();
	agent_before_fork();
	if (process_slot)
		slot_at_fork = *process_slot;
	if (root_control && !root_is_left())
		__atomic_add_fetch(&root_control->forks, 1, __ATOMIC_SEQ_CST);
}

/* fork_prepare() has raised abi_control.forks.  If fork() has failed this is not undone:
 * nothing reports here whether there is a child. */
static void fork_parent(void)
{
	runtime_unlock();
}

/* Only this thread exists in the child.  The text, the probes and the ring sets are as in
 * the parent, because the lock was held. */
static void fork_child(void)
{
	uint32_t old_tid = runtime_lock_reset();
	bool has_parent = process_slot, has_slot, has_put_off, is_late;

	module_after_fork(old_tid);
	caller_reset();
	dump_after_fork();
	function_options_after_fork();
	has_put_off = ftrace_after_fork();
	thread_after_fork();
	if (!root_control || root_is_left())
		return;
	root_leave_init(true);
	process_slot = NULL;
	/* getppid() returns 0 if the child is in another pid namespace than its parent.
	 * Then its pid means nothing to processes outside, and it cannot find out which
	 * of them are alive. */
	has_slot = arch_syscall0(SYS_getppid) &&
		   !process_claim(has_parent ? &slot_at_fork : NULL);
	__atomic_add_fetch(&root_control->forks_done, 1, __ATOMIC_SEQ_CST);
	if (!has_slot) {
		buffer_detach_all();
		ftrace_detach();
		profile_after_fork(true);
		root_control = NULL;
		return;
	}
	/* From now on the server waits for this process.  Settings that the server
	 * changed before it knew this process must be applied here: the server may have
	 * reported already that all processes have applied them. */
	is_late = __atomic_load_n(&root_control->generation, __ATOMIC_ACQUIRE) !=
		  process_slot->applied;		/* [process.claim] */
	profile_after_fork(is_late);
	if (is_late || has_put_off)
		agent_catch_up();
	/* The server waits for this process, so it does not free the lists of threads. */
	pids_inherit(old_tid, (uint32_t)arch_syscall0(SYS_gettid));
	if (agent_can_start_in_child())
		agent_start();
	else
		process_slot->flags = 0;
}

/* Register before any other fork handler, if possible: see atfork.c. */
__attribute__((no_sanitize_address, no_sanitize_thread)) void runtime_watch_forks(void)
{
	static bool is_watching;

	if (!__atomic_exchange_n(&is_watching, true, __ATOMIC_RELAXED))
		pthread_atfork(fork_prepare, fork_parent, fork_child);
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
	int r;

	if (is_initialized)
		return;
	is_initialized = true;
	grace_init();
	arch_rseq_init();	/* needed without a root, too: the program may have
				 * callbacks */
	runtime_watch_forks();
	if (!is_wanted())
		return;
	r = root_create();
	/* Do not call this earlier: TSan must see a call of libc before it sees a lock. */
	object_silence_calls();
	if (r)
		return;
	root_leave_init(false);
	buffer_get(0);		/* so that tracing_on() finds the top buffer */
	if (process_claim(NULL))
		return;
	runtime_watch_exit();
	image_tell_all();
	dump_init();
	stack_tracer_init();
	/* Apply what the server has stored while this program was held: the first event,
	 * or function, may be hit before the agent's first turn. */
	follow_buffers();
	follow_functions();
	agent_start();
	boot_wait_functions();
}

__attribute__((constructor(101))) static void library_coming(void)
{
	runtime_init();
}
