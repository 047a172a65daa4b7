/* SPDX-License-Identifier: MIT */
/*
 * Leave the root: a process that has fewer rights than the others gives up the memory
 * that it shares with them.
 *
 *	1  lock; switch everything off; from here on the agent applies nothing
 *	2  unlock; wait until no probe is left that could use the memory   [grace.enter]
 *	3  map private memory, all zeroes, over the shared memory
 *
 * Code that a grace period does not cover (tracing_on(), a function that was hit just
 * before step 1) finds a root without settings.  No address changes, so pointers into
 * the memory stay valid.
 */
#include <limits.h>
#include <linux/futex.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "runtime/base/grace.h"
#include "runtime/base/lock.h"
#include "runtime/base/part.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/buffer/buffer.h"
#include <ulf/tracing.h>

#define GRACE_MS	1000
#define NO_PID		INT_MAX		/* a pid that no process has; if it is in a
					 * process slot, other processes take the
					 * slot's process for dead */

/* Switch everything off that uses the root's memory.  Detach the rings last, because
 * the parts may still write to them.  Lock held. */
static void stop_all(void)
{
	const struct runtime_part *part;

	process_set_left();
	for_each_runtime_part(part, leave)
		part->leave();
	buffer_detach_all();
	if (process_slot)
		__atomic_store_n(&process_slot->pid, NO_PID,
				 __ATOMIC_RELEASE);	/* [process.claim] */
}

/* Map private memory, all zeroes, over the @bytes bytes at @start. */
static bool cover_mapping(void *start, uint64_t bytes, int rights)
{
	return arch_syscall6(SYS_mmap, (long)start, (long)bytes, rights,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
			     0) == (long)start;
}

/* Replace the shared memory by private memory.  If the kernel refuses to overcommit so
 * much writable memory (overcommit_memory), make only the tables writable.  If the
 * kernel refuses that, too, unmap everything. */
static void replace_memory(void)
{
	char *start = (char *)root_control;
	uint64_t bytes = root_map_bytes();

	if (cover_mapping(start, bytes, PROT_READ | PROT_WRITE))
		return;
	if (!cover_mapping(start, ABI_HEAP_OFF, PROT_READ | PROT_WRITE) ||
	    !cover_mapping(start + ABI_HEAP_OFF, bytes - ABI_HEAP_OFF, PROT_READ))
		arch_syscall2(SYS_munmap, start, bytes);
}

void ulf_leave(void)
{
	bool is_new;

	runtime_lock();
	is_new = root_control && !process_has_left();
	if (is_new)
		stop_all();
	runtime_unlock();
	if (!is_new)
		return;
	grace_wait(GRACE_MS);
	runtime_lock();
	/* Wake the agents of all processes of the root.  The agent of this process
	 * exits; the other agents find no new generation and sleep again. */
	arch_syscall3(SYS_futex, &root_control->generation, FUTEX_WAKE, INT_MAX);
	replace_memory();
	runtime_unlock();
}
