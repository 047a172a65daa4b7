/* SPDX-License-Identifier: MIT */
/* Start, exit and fork of the program that we are in. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/auxv.h>

#include "arch/arch.h"
#include "runtime/function/ftrace.h"
#include "runtime/unwind/image.h"
#include "runtime/function/object.h"
#include "runtime/function/profile.h"
#include "runtime/runtime.h"

#define EXIT_HANDLERS	64	/* modules that come later than that many do
				 * not matter: one of those is in time */

static bool is_initialized;		/* by the first constructor */
static bool is_exiting;			/* by exit() */

bool runtime_is_exiting(void)
{
	return __atomic_load_n(&is_exiting, __ATOMIC_RELAXED);
}

/* What the destructors would take away stays described in the dead root. */
static void at_exit(void)
{
	if (__atomic_exchange_n(&is_exiting, true, __ATOMIC_RELAXED) ||
	    !root_control)
		return;
	root_remove_if_unused();
}

/*
 * exit() runs handlers in the reverse order, and the destructors of the program
 * and its libraries are one of them, put there when the program itself is
 * about to start.  So a handler set by a library's constructor comes too late;
 * one set by the program's own constructors, or later, is in time.
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

/* The parent's agent may go on before the child looks at the parent's slot:
 * what the child has is what there was at the fork. */
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

/* Whether there is a child nobody tells us. */
static void fork_parent(void)
{
	runtime_unlock();
}

/* Only this thread exists here; the text, the probes and the ring sets are
 * those of the parent, as the lock was held. */
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
	/* In another pid namespace than its parent: nobody outside knows its number,
	 * and it cannot know who is alive. */
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
	/* From now on the server waits for us.  What it has done before it knew of us we
	 * must follow here: it may have told somebody that all do. */
	is_late = __atomic_load_n(&root_control->generation, __ATOMIC_ACQUIRE) !=
		  process_slot->applied;		/* [process.claim] */
	profile_after_fork(is_late);
	if (is_late || has_put_off)
		agent_catch_up();
	/* the server waits for us, so what it listed stays where it is */
	pids_inherit(old_tid, (uint32_t)arch_syscall0(SYS_gettid));
	if (agent_can_start_in_child())
		agent_start();
	else
		process_slot->flags = 0;
}

/* Before any other handler is known, if that can be: see atfork.c. */
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
	arch_rseq_init();	/* also for who has no root, but callbacks of its own */
	runtime_watch_forks();
	if (!is_wanted())
		return;
	r = root_create();
	/* not earlier: TSan must have seen a call of libc before it is told of a lock */
	object_silence_calls();
	if (r)
		return;
	root_leave_init(false);
	buffer_get(0);		/* what tracing_on() switches */
	if (process_claim(NULL))
		return;
	runtime_watch_exit();
	image_tell_all();
	dump_init();
	stack_tracer_init();
	/* What the server has done while we were held: the first event, or
	 * function, may come before the agent's first turn. */
	follow_buffers();
	follow_functions();
	agent_start();
	boot_wait_functions();
}

__attribute__((constructor(101))) static void library_coming(void)
{
	runtime_init();
}
