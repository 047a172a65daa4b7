/* SPDX-License-Identifier: MIT */
/*
 * A worker is a program that measures something whenever the driver asks, so
 * that the driver can let programs take turns.  The driver writes a line to the
 * worker's standard input; the worker runs its cases and answers with lines
 * `name value`, then `end`.  End of input ends the worker.
 */
#ifndef ULF_BENCH_WORKER_H
#define ULF_BENCH_WORKER_H

#include <stdio.h>
#include <stdlib.h>

/* Print a value, in ns. */
static inline void worker_result(const char *name, double ns)
{
	printf("%s %.4f\n", name, ns);
}

/* Say why there is no measuring, and end. */
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
