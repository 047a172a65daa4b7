/* SPDX-License-Identifier: MIT */
/*
 * Records events on request: for each number N that the program reads, THREADS threads
 * together record N events.  Then the program prints `N emitted'.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define CREATE_TRACE_POINTS
#include "emit_trace.h"

#define THREADS	2

static unsigned long wanted, emitted[THREADS];

static void *emit(void *arg)
{
	static const char *const words[] = { "", "one", "two parts", "%d %s\\n" };
	int thread = (int)(long)arg;

	for (unsigned long i = (unsigned long)thread; i < wanted; i += THREADS) {
		trace_emit_number(thread, i, words[i % 4]);
		emitted[thread]++;
	}
	return NULL;
}

static unsigned long emit_all(void)
{
	pthread_t threads[THREADS];
	unsigned long sum = 0;

	for (long i = 0; i < THREADS; i++) {
		emitted[i] = 0;
		if (pthread_create(&threads[i], NULL, emit, (void *)i))
			exit(1);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], NULL);
		sum += emitted[i];
	}
	return sum;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (scanf("%lu", &wanted) == 1)
		printf("%lu emitted\n", emit_all());
	return 0;
}
