/* SPDX-License-Identifier: MIT */
/*
 * Select the threads whose events and functions a buffer records: set_event_pid,
 * set_ftrace_pid and the two files that end in notrace_pid.  The lists are in shared
 * memory, one bit for each thread.  This process uses a list from the moment at which
 * it stores the list's address in struct buffer [buffer.pids].  The server does not
 * free a list before the agent has waited for all threads that may read the list.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "abi/pids.h"
#include "event/option.h"
#include "runtime/base/part.h"
#include "runtime/base/root.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/pids.h"

static int find_list(uint64_t off, struct abi_pids **ret_pids)
{
	int r;

	if (!off) {
		*ret_pids = NULL;
		return 0;
	}
	if (off % ABI_ALIGN || off < ABI_ARENA_OFF)
		return -EINVAL;
	r = root_populate(off, sizeof(struct abi_pids));
	if (!r)
		*ret_pids = root_at(off);
	return r;
}

int pids_apply(struct buffer *buffer)
{
	bool has_pids[2] = { false, false };
	const struct runtime_part *part;

	for (int i = 0; i < ABI_PIDS_LISTS; i++) {
		uint64_t off = __atomic_load_n(&buffer->shared->pids[i],
					       __ATOMIC_ACQUIRE);	/* [block.word] */
		struct abi_pids *pids;
		int r = find_list(off, &pids);

		if (r)
			return r;
		has_pids[i >= ABI_PIDS_FUNCTION] |= pids != NULL;
		__atomic_store_n(&buffer->pids[i], pids,
				 __ATOMIC_RELEASE);	/* [buffer.pids] */
	}
	__atomic_store_n(&buffer->has_pids, has_pids[0], __ATOMIC_RELAXED);
	__atomic_store_n(&buffer->has_function_pids,
			 has_pids[1] || buffer->function_options & ~OPTION_GRAPH_IRQS,
			 __ATOMIC_RELAXED);
	for_each_runtime_part(part, pids_changed)
		part->pids_changed(buffer);
	return 0;
}

static struct abi_pids *list_of(const struct buffer *buffer, int list)
{
	return __atomic_load_n(&buffer->pids[list],
			       __ATOMIC_ACQUIRE);	/* [buffer.pids] */
}

bool pids_ignore(const struct buffer *buffer, uint32_t tid)
{
	const struct abi_pids *only = list_of(buffer, ABI_PIDS_TRACE);
	const struct abi_pids *not = list_of(buffer, ABI_PIDS_NOTRACE);

	return (only && !abi_pids_has(only, tid)) ||
	       (not && abi_pids_has(not, tid));
}

/* Returns true if the list number @list is inherited: if a thread of the list starts a
 * thread, the new thread is added to the list (options event-fork and function-fork). */
static bool is_inherited(const struct buffer *buffer, int list)
{
	uint64_t option = list < ABI_PIDS_FUNCTION ? OPTION_EVENT_FORK :
						     OPTION_FUNCTION_FORK;

	return list_of(buffer, list) &&
	       __atomic_load_n(&buffer->shared->options, __ATOMIC_RELAXED) & option;
}

bool pids_are_inherited(void)
{
	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		const struct buffer *buffer = buffer_if_used(i);

		for (int list = 0; buffer && list < ABI_PIDS_LISTS; list++)
			if (is_inherited(buffer, list))
				return true;
	}
	return false;
}

void pids_inherit(uint32_t parent, uint32_t child)
{
	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		const struct buffer *buffer = buffer_if_used(i);

		for (int list = 0; buffer && list < ABI_PIDS_LISTS; list++) {
			struct abi_pids *pids = list_of(buffer, list);

			if (is_inherited(buffer, list) && abi_pids_has(pids, parent))
				abi_pids_add(pids, child);
		}
	}
}
