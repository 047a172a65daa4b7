/* SPDX-License-Identifier: MIT */
/*
 * The threads of set_event_pid, set_event_notrace_pid, set_ftrace_pid or
 * set_ftrace_notrace_pid: a piece of the arena, at abi_buffer.pids.  A bit is set
 * and cleared where it is, by one atomic operation: by the server, and with the
 * option event-fork, or function-fork, by a thread for itself.
 */
#ifndef ULF_ABI_PIDS_H
#define ULF_ABI_PIDS_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#define ABI_PIDS		(1u << 22)	/* no thread has a greater id */
#define ABI_PIDS_BEYOND		1023u

struct abi_pids {
	/* the server's: numbers that no thread can have, but that were written
	 * and are read again; by size */
	uint32_t nr_beyond;
	uint32_t beyond[ABI_PIDS_BEYOND];
	uint64_t bits[ABI_PIDS / 64];
};

static_assert(sizeof(struct abi_pids) == 4096 + ABI_PIDS / 8, "ABI");

static inline bool abi_pids_has(const struct abi_pids *pids, uint32_t tid)
{
	return tid < ABI_PIDS &&
	       (__atomic_load_n(&pids->bits[tid / 64], __ATOMIC_RELAXED) >>
		tid % 64 & 1);
}

static inline void abi_pids_add(struct abi_pids *pids, uint32_t tid)
{
	if (tid < ABI_PIDS)
		__atomic_or_fetch(&pids->bits[tid / 64], 1ull << tid % 64,
				  __ATOMIC_RELAXED);
}

static inline void abi_pids_remove(struct abi_pids *pids, uint32_t tid)
{
	if (tid < ABI_PIDS)
		__atomic_and_fetch(&pids->bits[tid / 64], ~(1ull << tid % 64),
				   __ATOMIC_RELAXED);
}

#endif
