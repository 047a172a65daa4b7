/* SPDX-License-Identifier: MIT */
/*
 * A list of threads: those of set_event_pid, set_event_notrace_pid, set_ftrace_pid or
 * set_ftrace_notrace_pid.  It is a block of the arena, at abi_buffer.pids.  Unlike
 * other blocks it changes after it is published: the server sets and clears bits, each
 * with one atomic operation.  With the options event-fork and function-fork, processes
 * also change the list: when a listed thread starts a thread, they add the new thread.
 */
#ifndef ULF_ABI_PIDS_H
#define ULF_ABI_PIDS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define ABI_PIDS		(1u << 22)	/* every thread id is below this number */
#define ABI_PIDS_BEYOND		1023u

struct abi_pids {
	/* Numbers in the list that are too large for a thread id, in rising order.  The
	 * server keeps them because a read of the file (such as set_event_pid) shows
	 * them again.  Processes ignore them. */
	uint32_t nr_beyond;
	uint32_t beyond[ABI_PIDS_BEYOND];
	uint64_t bits[ABI_PIDS / 64];	/* bit n is 1 if the thread with the id n is
					 * in the list */
};

static_assert(sizeof(struct abi_pids) == 4096 + ABI_PIDS / 8, "ABI");

/* Returns true if thread @tid is in the list. */
static inline bool abi_pids_has(const struct abi_pids *pids, uint32_t tid)
{
	return tid < ABI_PIDS &&
	       (__atomic_load_n(&pids->bits[tid / 64], __ATOMIC_RELAXED) >>
		tid % 64 & 1);
}

/* Add thread @tid to the list. */
static inline void abi_pids_add(struct abi_pids *pids, uint32_t tid)
{
	if (tid < ABI_PIDS)
		__atomic_or_fetch(&pids->bits[tid / 64], 1ull << tid % 64,
				  __ATOMIC_RELAXED);
}

/* Remove thread @tid from the list. */
static inline void abi_pids_remove(struct abi_pids *pids, uint32_t tid)
{
	if (tid < ABI_PIDS)
		__atomic_and_fetch(&pids->bits[tid / 64], ~(1ull << tid % 64),
				   __ATOMIC_RELAXED);
}

#endif
