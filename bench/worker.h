/* SPDX-License-Identifier: MIT */
/*
 * A worker is a program that measures when the driver asks, so that programs can take
 * turns.  The driver writes a line to the worker's standard input.  The worker runs its
 * cases and answers with lines `name value`, then `end`.  It exits at the end of its
 * input.
 */
#ifndef ULF_BENCH_WORKER_H
#define ULF_BENCH_WORKER_H

#include <stdio.h>
#include <stdlib.h>

/* Report a result, in ns. */
static inline void worker_result(const char *name, double ns)
{
	printf("%s %.4f\n", name, ns);
}

/* Print the reason why the worker cannot measure, and exit. */
static inline void worker_fail(const char *why)
{
	printf("error %s\n", why);
	fflush(stdout);
	exit(1);
}

/* Run @round each time the driver asks. */
static inline int worker_main(void (*round)(void))
{
	char line[64];

	while (fgets(line, sizeof(line), stdin)) {
		round();
		puts("end");
		fflush(stdout);
	}
	return 0;
}

#endif
