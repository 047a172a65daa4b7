/* SPDX-License-Identifier: MIT */
/* A program with a thousand events, of which it hits four ten times a second. */
#include <stdio.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "many_trace.h"

#define HIT(n)	static void hit_##n(unsigned int count) { trace_load_##n(count, "word"); }
LOAD_MANY(HIT)

#define ROW(n)	hit_##n,
static void (*const hits[])(unsigned int count) = { LOAD_MANY(ROW) };
#define NR_HITS	(sizeof(hits) / sizeof(hits[0]))

int main(void)
{
	unsigned int count;

	for (count = 0; ; count++) {
		hits[count % NR_HITS](count);
		if (count % 4 == 0)
			usleep(100000);
	}
}
