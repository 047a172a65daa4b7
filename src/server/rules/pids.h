/* SPDX-License-Identifier: MIT */
/*
 * Lists of threads whose events and functions an instance records (set_event_pid and
 * set_ftrace_pid), or does not record (set_event_notrace_pid and
 * set_ftrace_notrace_pid).
 *
 * The lists are in shared memory and nowhere else.  "No list" and "an empty list" are
 * different.  Without a list in set_event_pid, events of all threads are recorded.
 * With an empty list, events of no thread are recorded.  With the option event-fork a
 * list becomes empty when its last thread ends.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_PIDS_H
#define ULF_SERVER_PIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "server/core/instance.h"
#include "server/part_numbers.h"

struct extent_list;
struct text;

/* Progress of pids_expire() in the lists of an instance.  This is the state of
 * INSTANCE_PART_PIDS. */
struct instance_pids {
	uint32_t expire_next[ABI_PIDS_LISTS];	/* for each list, the thread id with which
						 * the next pids_expire() continues */
};

/* Return the state of INSTANCE_PART_PIDS of @instance. */
static inline struct instance_pids *instance_pids(const struct instance *instance)
{
	return instance->part_state[INSTANCE_PART_PIDS];
}

#define PIDS_MAX	(1u << 30)	/* limit of thread ids, as in the kernel: all ids
					 * are smaller than this number */

/*
 * Add the @nr thread ids of @pids to @list, or none of them if there is an error.  If
 * @instance does not have this list yet, make it.  Then *@ret_is_new is set to true, and
 * the caller must call apply_start().  Returns 0; -ENOSPC if the list or the arena is
 * full; -ENOMEM or another -errno.
 */
int pids_add(struct instance *instance, enum abi_pids_list list,
	     const uint32_t *pids, size_t nr, bool *ret_is_new);
/*
 * Remove @list of @instance.  Returns true if the list existed; then the caller must call
 * apply_start().
 */
bool pids_drop(struct instance *instance, enum abi_pids_list list);
/* Return true if events of thread @tid are not recorded, because of set_event_pid or
 * set_event_notrace_pid. */
bool pids_ignore(const struct instance *instance, uint32_t tid);
/* Method instance_part.list_blocks: report which blocks of the arena are lists of
 * threads. */
void pids_list_blocks(const struct instance *instance, struct extent_list *list);
/* Method instance_part.drop: remove all lists of an instance that is being removed. */
void pids_drop_all(struct instance *instance);
/* Print @list to @out, one thread id per line. */
void pids_show(struct instance *instance, enum abi_pids_list list,
	       struct text *out);
/*
 * Method instance_part.tick: remove threads that have ended from lists of threads: from
 * the lists for events if the option event-fork is on, and from the lists for functions
 * if function-fork is on.  Checks a limited number of threads per call.
 */
void pids_expire(struct instance *instance);

#endif
