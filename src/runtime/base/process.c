/* SPDX-License-Identifier: MIT */
/* The slot of this process in the root's table of processes. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"

struct abi_process *process_slot;

static bool has_left;			/* true: this process has left the root
					 * (leave.c); never false again */
static bool is_exiting;			/* true: exit() has called libulf's
					 * first handler; never false again */
static uint32_t known_pid;		/* pid of the process that called
					 * process_note_pid() last */
static bool is_child;			/* true: this process was forked by another
					 * process of the root */

bool process_has_left(void)
{
	return __atomic_load_n(&has_left, __ATOMIC_RELAXED);
}

void process_set_left(void)
{
	__atomic_store_n(&has_left, true, __ATOMIC_RELAXED);
}

bool process_is_exiting(void)
{
	return __atomic_load_n(&is_exiting, __ATOMIC_RELAXED);
}

bool process_set_exiting(void)
{
	return !__atomic_exchange_n(&is_exiting, true, __ATOMIC_RELAXED);
}

void process_note_pid(bool was_forked)
{
	known_pid = (uint32_t)arch_syscall0(SYS_getpid);
	is_child = was_forked;
}

bool process_is_child(void)
{
	/* Also compare the pid: a child of vfork() shares the memory of its parent,
	 * so in such a child is_child and known_pid have the parent's values. */
	return is_child && known_pid == (uint32_t)arch_syscall0(SYS_getpid);
}

static bool try_claim(struct abi_process *slot, uint32_t seen, uint32_t pid)
{
	return __atomic_compare_exchange_n(&slot->pid, &seen, pid, false,
					   __ATOMIC_ACQ_REL, /* [process.claim] */
					   __ATOMIC_RELAXED);
}

/* Make process slot number @i usable, so that no access raises SIGBUS.  Returns the
 * slot, or NULL if there is no such slot, or no memory for it. */
static struct abi_process *slot_at(uint32_t i)
{
	struct abi_process *slot = root_at(ABI_PROCESSES_OFF);

	return i < ABI_PROCESSES && !root_populate_row(slot + i) ? slot + i : NULL;
}

static bool is_dead(uint32_t pid)
{
	return arch_syscall2(SYS_kill, pid, 0) == -ESRCH;
}

/*
 * Claim a process slot that is free or that belongs to a dead process.  Slot 0 is never taken
 * from a dead process, because it keeps the state that the root began with.  The search starts
 * at abi_control.next_process, where the previous search ended.  So a new process need not
 * check the slots of all dead processes.  Slot 0 follows the last slot.
 */
static struct abi_process *find_slot(uint32_t pid)
{
	uint32_t *next = &root_control->next_process;
	uint32_t i = __atomic_load_n(next, __ATOMIC_RELAXED) % ABI_PROCESSES;
	struct abi_process *slot;

	for (uint32_t n = 0; n <= ABI_PROCESSES; n++, i++) {
		uint32_t seen;

		slot = slot_at(i);
		if (!slot)
			slot = slot_at(i = 0);
		if (!slot)
			return NULL;
		seen = __atomic_load_n(&slot->pid, __ATOMIC_RELAXED);
		if (seen && (!i || !is_dead(seen)))
			continue;
		if (!try_claim(slot, seen, pid))
			continue;
		__atomic_store_n(next, i + 1, __ATOMIC_RELAXED);
		return slot;
	}
	return NULL;
}

/* Walk over the process slots.  Processes claim slots from the first one on, and no
 * slot becomes free (pid 0) again, so a free slot ends the search. */
bool process_any(bool (*fn)(const struct abi_process *slot, void *arg),
		 void *arg)
{
	const struct abi_process *slot;
	uint32_t pid;

	for (uint32_t i = 0; (slot = slot_at(i)); i++) {
		pid = __atomic_load_n(&slot->pid, __ATOMIC_RELAXED);
		if (!pid)
			return false;
		if (!is_dead(pid) && fn(slot, arg))
			return true;
	}
	return false;
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_BOOTTIME, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

int process_claim(const struct abi_process *parent)
{
	struct abi_process *slot = find_slot((uint32_t)arch_syscall0(SYS_getpid));

	if (!slot)
		return -ENOSPC;
	slot->error = 0;
	slot->flags = ABI_PROCESS_AGENT;	/* set the flag now, because
						 * agent_start(), which is called next,
						 * clears it if it fails */
	slot->agent = 0;
	/* The last process of the slot has left its value. */
	__atomic_store_n(&slot->late, 0, __ATOMIC_RELAXED);
	slot->refused = parent ? parent->refused : 0;
	if (parent)
		memcpy(slot->modules, parent->modules, sizeof(slot->modules));
	else
		memset(slot->modules, 0, sizeof(slot->modules));
	__atomic_store_n(&slot->applied, parent ? parent->applied : 0,
			 __ATOMIC_RELEASE);	/* [agent.ack] */
	__atomic_store_n(&slot->claimed_ns, now_ns(), __ATOMIC_RELEASE);
	/* Store all members of the slot before the caller loads the generation.  So if
	 * the caller loads an old generation, the server has not stored the new
	 * generation yet, and will find this slot and wait for this process.  A store
	 * and a later load need a full fence between them, on each side; mate:
	 * raise_generation() [process.claim] */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	process_slot = slot;
	return 0;
}
