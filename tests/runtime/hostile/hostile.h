/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOSTILE_H
#define TESTS_HOSTILE_H

#include <stdint.h>

/* Private memory of the victim that nobody may change, between pages that nobody may
 * touch. */
struct canary {
	uint64_t *words;
	uint64_t nr;
};

/* What the victim and the worker share on purpose. */
struct progress {
	uint64_t rounds;		/* the worker's */
	uint32_t is_done;
};

int victim(void);
void worker(const struct canary *canary, struct progress *progress);

#endif
