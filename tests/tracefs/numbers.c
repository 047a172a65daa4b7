/* SPDX-License-Identifier: MIT */
/*
 * Records a known number of numbered events, once it has read a line:
 *
 *   numbers THREADS NUMBER [PAUSE_US]
 *
 * Each thread records 1 .. NUMBER, and pauses after each hundred.  A line `done`
 * follows when all threads have ended; then it waits to be killed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "writer_trace.h"

static unsigned long number;
static unsigned int pause_us;

static void *count(void *arg)
{
	for (unsigned long i = 1; i <= number; i++) {
		trace_writer_event((int)(long)arg, i, "");
		if (pause_us && i % 100 == 0)
			usleep(pause_us);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long nr_threads = argc > 2 ? atol(argv[1]) : 0;
	pthread_t threads[16];

	if (nr_threads < 1 || nr_threads > 16) {
		fprintf(stderr, "usage: numbers THREADS NUMBER [PAUSE_US]\n");
		return 2;
	}
	number = strtoul(argv[2], NULL, 10);
	pause_us = argc > 3 ? (unsigned int)atoi(argv[3]) : 0;
	if (getchar() == EOF)
		return 1;
	for (long i = 0; i < nr_threads; i++)
		if (pthread_create(&threads[i], NULL, count, (void *)i))
			return 1;
	for (long i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	puts("done");
	fflush(stdout);
	pause();
	return 0;
}
