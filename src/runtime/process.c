/* SPDX-License-Identifier: MIT */
/* This process's slot in the root's table. */
#include <errno.h>
#include <string.h>

#include "arch/arch.h"
#include "runtime/runtime.h"

struct abi_process *process_slot;

static bool try_claim(struct abi_process *slot, uint32_t seen, uint32_t pid)
{
	return __atomic_compare_exchange_n(&slot->pid, &seen, pid, false,
					   __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

/* A free slot, else one of a dead process; not the first, which keeps what
 * the root began with. */
static struct abi_process *find_slot(uint32_t pid)
{
	struct abi_process *slots = root_at(root_control->processes_off);

	for (int reuse = 0; reuse < 2; reuse++) {
		for (uint32_t i = 0; i < ABI_PROCESSES; i++) {
			struct abi_process *slot = &slots[i];
			uint32_t seen = __atomic_load_n(&slot->pid,
							__ATOMIC_RELAXED);

			if (!reuse && !seen &&
			    root_populate(root_control->processes_off +
					  i * sizeof(*slot), sizeof(*slot)))
				return NULL;
			if (reuse && (!i || arch_syscall2(SYS_kill, seen, 0) !=
				      -ESRCH))
				continue;
			if ((reuse || !seen) && try_claim(slot, seen, pid))
				return slot;
		}
	}
	return NULL;
}

int process_claim(const struct abi_process *parent)
{
	struct abi_process *slot = find_slot((uint32_t)arch_syscall0(SYS_getpid));

	if (!slot)
		return -ENOSPC;
	slot->error = 0;
	slot->flags = 0;
	if (parent)
		memcpy(slot->modules, parent->modules, sizeof(slot->modules));
	else
		memset(slot->modules, 0, sizeof(slot->modules));
	__atomic_store_n(&slot->applied, parent ? parent->applied : 0,
			 __ATOMIC_RELEASE);
	process_slot = slot;
	return 0;
}
