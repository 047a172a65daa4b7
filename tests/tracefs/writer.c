/* SPDX-License-Identifier: MIT */
/*
 * Records numbered events for ever, at full speed or at a given rate:
 *
 *   writer THREADS [PER_SECOND [SNAPSHOTS_PER_SECOND]]
 *
 * Each thread numbers its events from 1, so that a reader sees which are missing.  `check'
 * has one value in all whole records, and the length of the text varies.  One more thread
 * takes snapshots, once they are allocated.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <ulf/tracing.h>
#define CREATE_TRACE_POINTS
#include "writer_trace.h"

static long pause_ns;

static void *take_snapshots(void *arg)
{
	struct timespec pause = { .tv_nsec = 1000000000 / (long)arg };

	while (tracing_alloc_snapshot())
		nanosleep(&pause, NULL);
	for (;;) {
		tracing_snapshot();
		nanosleep(&pause, NULL);
	}
	return NULL;
}

static void *count(void *arg)
{
	static const char text[] = "abcdefghijklmnopqrstuvwxyz";
	struct timespec pause = { .tv_nsec = pause_ns };
	int thread = (int)(long)arg;
	char name[16];

	snprintf(name, sizeof(name), "writer/%d", thread);
	pthread_setname_np(pthread_self(), name);
	for (unsigned long number = 1;; number++) {
		trace_writer_event(thread, number, text + number % 26);
		if (pause_ns)
			nanosleep(&pause, NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int nr_threads = argc > 1 ? atoi(argv[1]) : 1;
	int per_second = argc > 2 ? atoi(argv[2]) : 0;
	long snapshots = argc > 3 ? atoi(argv[3]) : 0;
	pthread_t thread;

	if (nr_threads < 1 || per_second < 0 || per_second == 1 ||
	    snapshots < 0 || snapshots == 1) {
		fprintf(stderr,
			"usage: writer THREADS [PER_SECOND [SNAPSHOTS_PER_SECOND]]\n");
		return 2;
	}
	if (snapshots && pthread_create(&thread, NULL, take_snapshots,
					(void *)snapshots))
		return 1;
	pause_ns = per_second ? 1000000000 / per_second : 0;
	for (long i = 0; i < nr_threads; i++)
		if (pthread_create(&thread, NULL, count, (void *)i))
			return 1;
	return pthread_join(thread, NULL) != 0;
}
