/* SPDX-License-Identifier: MIT */
/*
 * Records a known number of numbered events:
 *
 *   numbers THREADS NUMBER [PAUSE_US]
 *
 * Until the program reads a line, each thread records number 0 every millisecond, so that a
 * test sees that recording is on.  Then the program prints `probed'.  After a second line
 * each thread records 1 .. NUMBER, and pauses after each hundred.  The program prints `done'
 * when all threads have ended, and waits to be killed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "writer_trace.h"

static unsigned long number;
static unsigned int pause_us;
static int phase;			/* number of lines that were read */
static long nr_probed;			/* number of threads that know of the first line */

/* All threads use this one tracepoint site: a second site might be switched on later. */
__attribute__((noinline)) static void record(int thread, unsigned long n)
{
	trace_writer_event(thread, n, "");
}

static int now(void)
{
	return __atomic_load_n(&phase, __ATOMIC_ACQUIRE);
}

static void *count(void *arg)
{
	int thread = (int)(long)arg;

	for (; now() < 1; usleep(1000))
		record(thread, 0);
	__atomic_add_fetch(&nr_probed, 1, __ATOMIC_RELEASE);
	while (now() < 2)
		usleep(1000);
	for (unsigned long i = 1; i <= number; i++) {
		record(thread, i);
		if (pause_us && i % 100 == 0)
			usleep(pause_us);
	}
	return NULL;
}

static void read_line(void)
{
	int c;

	while ((c = getchar()) != '\n')
		if (c == EOF)
			exit(1);
	__atomic_add_fetch(&phase, 1, __ATOMIC_RELEASE);
}

static void say(const char *line)
{
	puts(line);
	fflush(stdout);
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
	for (long i = 0; i < nr_threads; i++)
		if (pthread_create(&threads[i], NULL, count, (void *)i))
			return 1;
	read_line();
	while (__atomic_load_n(&nr_probed, __ATOMIC_ACQUIRE) < nr_threads)
		usleep(1000);
	say("probed");
	read_line();
	for (long i = 0; i < nr_threads; i++)
		pthread_join(threads[i], NULL);
	say("done");
	pause();
	return 0;
}
