/* SPDX-License-Identifier: MIT */
/* Handlers of fork(): the child claims a process slot and applies the settings before
 * fork() returns in it. */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "runtime/agent.h"
#include "runtime/base/lock.h"
#include "runtime/base/part.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include "runtime/fork.h"
#include "runtime/init.h"

/* True if the runtime was ready when fork() was called, so that the child can be traced.
 * fork_prepare() sets this variable in the parent; the child has a copy of it. */
static bool was_ready;

/* A copy of the parent's process slot, made before fork().  The child needs this state, and
 * the parent's agent may change the slot before the child looks at it. */
static struct abi_process slot_at_fork;

static void fork_prepare(void)
{
	runtime_lock();
	agent_before_fork();
	if (process_slot)
		slot_at_fork = *process_slot;
	was_ready = runtime_is_ready();
	if (was_ready && root_control && !process_has_left())
		__atomic_add_fetch(&root_control->forks, 1,
				   __ATOMIC_SEQ_CST);		/* [process.forks] */
}

/* Handler that runs in the parent after fork().  fork_prepare() has raised
 * abi_control.forks.  If fork() has failed, this count stays too high, because libc
 * does not report the failure to this handler. */
static void fork_parent(void)
{
	runtime_unlock();
}

/* Repair locks and state of the child.  Threads of the parent that do not exist in the
 * child may have changed them. */
static void repair_child(uint32_t old_tid)
{
	const struct runtime_part *part;

	for_each_runtime_part(part, after_fork)
		part->after_fork(old_tid);
	thread_after_fork();
}

/* Claim a process slot for the child.  @has_parent: the parent had a process slot.
 * Returns false if the child got none. */
static bool claim_slot(bool has_parent)
{
	bool has_slot;

	/* getppid() returns 0 if the child is in another pid namespace than its parent.
	 * Then the child gets no slot, for two reasons: processes outside of its
	 * namespace know the child by another pid; and the child cannot find out which
	 * of those processes are alive. */
	has_slot = arch_syscall0(SYS_getppid) &&
		   !process_claim(has_parent ? &slot_at_fork : NULL);
	__atomic_add_fetch(&root_control->forks_done, 1, __ATOMIC_SEQ_CST); /* [process.forks] */
	return has_slot;
}

/* Detach this process from the root.  It got no process slot, so it does not belong
 * to the root. */
static void detach_child(void)
{
	const struct runtime_part *part;

	buffer_detach_all();
	for_each_runtime_part(part, detach)
		part->detach();
	root_control = NULL;
}

static bool has_put_off(void)
{
	const struct runtime_part *part;

	for_each_runtime_part(part, has_put_off)
		if (part->has_put_off())
			return true;
	return false;
}

/* Apply settings that the server changed before it knew this process.  The server may
 * already have reported that all processes have applied them, because it waits for this
 * process only from process_claim() on. */
static void catch_up(void)
{
	const struct runtime_part *part;
	bool is_late = __atomic_load_n(&root_control->generation, __ATOMIC_ACQUIRE) !=
		       process_slot->applied;		/* [process.claim] */

	for_each_runtime_part(part, after_claim)
		part->after_claim(is_late);
	if (is_late || has_put_off())
		agent_catch_up();
}

/*
 * The runtime was not ready: another thread was starting it when this thread called
 * fork(), because `ulf attach` loads libulf while the program runs.  That thread does not
 * exist in the child, so the start does not continue, and the child is not traced.
 */
static void forget_start(void)
{
	if (root_control)
		detach_child();
	runtime_forget_start();
}

/* The blocks of settings still exist, because the server waits for this process before it
 * frees them. */
static void inherit_settings(uint32_t old_tid)
{
	const struct runtime_part *part;

	for_each_runtime_part(part, inherit)
		part->inherit(old_tid, (uint32_t)arch_syscall0(SYS_gettid));
}

/* Handler that runs in the child after fork().  Only this thread exists in the child.
 * The text, the probes and the ring sets are as in the parent, because fork_prepare()
 * took runtime_lock(). */
static void fork_child(void)
{
	uint32_t old_tid = runtime_lock_reset();
	bool has_parent = process_slot;

	repair_child(old_tid);
	if (process_has_left() || (was_ready && !root_control))
		return;
	process_note_pid(true);
	process_slot = NULL;
	if (!was_ready) {
		forget_start();
		return;
	}
	if (!claim_slot(has_parent)) {
		detach_child();
		return;
	}
	catch_up();
	inherit_settings(old_tid);
	if (agent_can_start_in_child())
		agent_start();
	else
		process_slot->flags = 0;
}

/* Register the fork handlers, if possible before any other fork handler of the program: see
 * libc/atfork.c. */
__attribute__((no_sanitize_address, no_sanitize_thread)) void fork_watch(void)
{
	static bool is_watching;

	if (!__atomic_exchange_n(&is_watching, true, __ATOMIC_RELAXED))
		pthread_atfork(fork_prepare, fork_parent, fork_child);
}
