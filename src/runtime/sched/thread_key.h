/* SPDX-License-Identifier: MIT */
/* The keys of a table with a row for each thread.  Only the agent uses such tables. */
#ifndef ULF_RUNTIME_SCHED_THREAD_KEY_H
#define ULF_RUNTIME_SCHED_THREAD_KEY_H

#include <stdint.h>

#define NR_THREAD_KEYS	4096u		/* number of rows of a table */

struct thread_key {
	uint32_t tid;			/* id of the row's thread; 0: the row is free */
	uint32_t stamp;			/* number that rises with each use of a row of the table;
					 * a new thread replaces the row with the lowest stamp */
};

/* Returns the row of thread @tid.  If @tid has none, returns the row that @tid can take: a free
 * row, or the row that was not used for the longest time.  The caller compares the key. */
uint32_t thread_key_find(const struct thread_key keys[NR_THREAD_KEYS], uint32_t tid);

#endif
