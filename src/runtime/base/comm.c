/* SPDX-License-Identifier: MIT */
/*
 * Record the names of threads in the root's memory, so that the trace can be printed
 * with names even after the program has ended.  A thread writes its own name once, at
 * its first event.  Signal handlers may call this code.
 *
 * A writer claims an entry of the table by making the entry's sequence number odd (CAS),
 * writes the entry, and makes the number even [comm.write].  If a writer is killed
 * meanwhile, the number stays odd, and no thread uses this entry again.  There are 4095
 * other entries.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "event/option.h"
#include "runtime/base/comm.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"

static uint32_t stamp_now(void)
{
	static uint32_t stamp;

	return __atomic_add_fetch(&stamp, 1, __ATOMIC_RELAXED);
}

/* Make the ABI_COMM_PROBES entries from number @first on of the table of thread names
 * usable.  Entry 0 follows the last entry.  Returns false if there is no memory for the
 * entries. */
static bool populate_comms(uint32_t first)
{
	uint64_t off = ABI_COMMS_OFF;
	uint32_t nr = min_u32(ABI_COMM_PROBES, ABI_COMMS - first);

	return !root_populate(off + first * sizeof(struct abi_comm),
			      nr * sizeof(struct abi_comm)) &&
	       (nr == ABI_COMM_PROBES || !root_populate(off, ARCH_PAGE_BYTES));
}

/* Choose one of the ABI_COMM_PROBES entries that thread @tid may use: the entry that
 * @tid had before; else a free entry; else the oldest one.  Returns NULL if no entry
 * can be used. */
static struct abi_comm *choose_comm(uint32_t tid)
{
	struct abi_comm *table = root_at(ABI_COMMS_OFF), *best = NULL;
	uint32_t first = abi_comm_first(tid);

	if (!populate_comms(first))
		return NULL;
	for (uint32_t i = 0; i < ABI_COMM_PROBES; i++) {
		struct abi_comm *c = &table[(first + i) % ABI_COMMS];

		if (__atomic_load_n(&c->sequence, __ATOMIC_RELAXED) & 1)
			continue;
		if (c->tid == tid || !c->tid)
			return c;
		if (!best || c->stamp < best->stamp)
			best = c;
	}
	return best;
}

/* Returns true if the names of threads are recorded, which is so if the option
 * record-cmd of the top buffer is on.  While it is off, a thread gets an entry
 * without a name. */
static bool is_name_wanted(void)
{
	const struct abi_buffer *top = root_buffer(0);

	if (root_populate(ABI_BUFFERS_OFF,
			  offsetof(struct abi_buffer, cpu_kb)))
		return true;
	return !(__atomic_load_n(&top->options, __ATOMIC_RELAXED) &
		 OPTION_RECORD_CMD);
}

void comm_get(char ret_comm[ABI_COMM_LEN])
{
	memset(ret_comm, 0, ABI_COMM_LEN);
	if (thread_is_late()) {
		memcpy(ret_comm, ((const struct late_thread *)ulf_this_thread)->comm,
		       ABI_COMM_LEN);
		return;
	}
	arch_syscall2(SYS_prctl, PR_GET_NAME, ret_comm);
}

static void write_comm(uint32_t tid, uint32_t tgid, const char name[ABI_COMM_LEN])
{
	struct abi_comm *comm;
	uint32_t sequence;

	comm = choose_comm(tid);
	if (!comm)
		return;
	sequence = __atomic_load_n(&comm->sequence, __ATOMIC_RELAXED);
	if ((sequence & 1) ||
	    !__atomic_compare_exchange_n(&comm->sequence, &sequence,
					 sequence + 1, false, __ATOMIC_ACQUIRE, /* [comm.write] */
					 __ATOMIC_RELAXED))
		return;
	/* release: the odd sequence number is visible before any byte of the entry
	 * changes */
	__atomic_thread_fence(__ATOMIC_RELEASE);	/* [comm.write] */
	comm->tid = tid;
	comm->tgid = tgid;
	comm->stamp = stamp_now();
	memcpy(comm->comm, name, sizeof(comm->comm));
	__atomic_store_n(&comm->sequence, sequence + 2,
			 __ATOMIC_RELEASE);		/* [comm.write] */
}

void comm_record(uint32_t tid)
{
	char name[ABI_COMM_LEN] = "";

	if (!root_control)
		return;
	if (is_name_wanted())
		comm_get(name);
	write_comm(tid, (uint32_t)arch_syscall0(SYS_getpid), name);
}

void comm_record_other(uint32_t tid, uint32_t tgid, const char name[ABI_COMM_LEN])
{
	static const char none[ABI_COMM_LEN];

	write_comm(tid, tgid, is_name_wanted() ? name : none);
}
