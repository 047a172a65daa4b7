/* SPDX-License-Identifier: MIT */
/*
 * Records events on request: for each number N that the program reads, THREADS threads
 * together record N events.  Then the program prints `N emitted'.  With an argument P, each of P
 * children records N events.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

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

static unsigned long emit_in_children(int nr)
{
	int status, good = 0;

	for (int i = 0; i < nr; i++)
		if (fork() == 0)
			_exit(emit_all() != wanted);
	while (wait(&status) > 0)
		good += !status;
	return good == nr ? wanted * (unsigned long)nr : 0;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (scanf("%lu", &wanted) == 1)
		printf("%lu emitted\n", argc > 1 ? emit_in_children(atoi(argv[1])) : emit_all());
	return 0;
}
