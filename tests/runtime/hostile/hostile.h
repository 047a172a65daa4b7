/* SPDX-License-Identifier: MIT */
#ifndef TESTS_HOSTILE_H
#define TESTS_HOSTILE_H

#include <stdint.h>

/* Private memory of the victim that must not change, between pages that cannot be accessed. */
struct canary {
	uint64_t *words;
	uint64_t nr;
};

/* Memory that the victim and the worker share. */
struct progress {
	uint64_t rounds;		/* written by the worker */
	uint32_t is_done;
};

int victim(void);
void worker(const struct canary *canary, struct progress *progress);

#endif
