/* SPDX-License-Identifier: MIT */
#include "runtime/sched/thread_key.h"

#define WAYS	8u			/* number of rows, one after the other, in which
					 * a thread's row can be */

uint32_t thread_key_find(const struct thread_key keys[NR_THREAD_KEYS], uint32_t tid)
{
	uint32_t first = tid * 2654435761u / (UINT32_MAX / (NR_THREAD_KEYS / WAYS) + 1) * WAYS;
	uint32_t best = first;

	for (uint32_t i = first; i < first + WAYS; i++) {
		if (keys[i].tid == tid)
			return i;
		if (keys[best].tid && (!keys[i].tid || keys[i].stamp < keys[best].stamp))
			best = i;
	}
	return best;
}
