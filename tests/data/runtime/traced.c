/* SPDX-License-Identifier: MIT */
/*
 * A program that traces itself in every possible way, to be run under valgrind and with
 * sanitizers: threads, signals, a child, its own probes, switching.  Exit status 0:
 * everything was recorded.  Arguments: "slow": there must be no rseq; "alone": do not fork.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "event/option.h"
#include "lib/check.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define THREADS	3
#define HITS	200
#define ROUNDS	20

struct seen {
	long calls, last;
};

/* The program writes this struct before the probe is registered, and frees it after the probe
 * is unregistered.  The probe reads it. */
struct prefix {
	int who;
	struct seen seen[THREADS + 1];
};

static struct driver d;
static pthread_barrier_t start, stop;

static void probe(void *data, int who, long value)
{
	struct prefix *prefix = data;

	if (who >= 0 && who <= THREADS) {
		prefix->seen[who].calls += prefix->who;
		prefix->seen[who].last = value;
	}
}

static void *work(void *arg)
{
	int who = (int)(long)arg;

	for (int round = 0; round < ROUNDS; round++) {
		pthread_barrier_wait(&start);
		for (int i = 0; i < HITS; i++) {
			trace_rt_hit(who, i);
			if (i % 50 == 0)
				trace_rt_long("from a thread");
		}
		pthread_barrier_wait(&stop);
	}
	return NULL;
}

static void on_signal(int sig)
{
	(void)sig;
	trace_rt_hit(0, -1);
}

/* Half of the rounds are recorded, some of them with stacks.  In some rounds a probe is
 * registered and unregistered while the threads hit. */
static void one_round(int round)
{
	struct prefix *prefix = calloc(1, sizeof(*prefix));
	bool on = round % 2 == 0;
	size_t nr;

	CHECK(prefix);
	prefix->who = 1;
	if (round % 4 == 2)
		trace_buffer(&d)->options ^= OPTION_STACKTRACE;
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", on), 0);
	CHECK_EQ(driver_enable(&d, "rt", "rt_long", on), 0);
	pthread_barrier_wait(&start);
	if (round % 3 == 0)
		CHECK_EQ(register_trace_rt_hit(probe, prefix), 0);
	raise(SIGUSR1);
	if (round % 3 == 0)
		CHECK_EQ(unregister_trace_rt_hit(probe, prefix), 0);
	tracepoint_synchronize_unregister();
	free(prefix);
	pthread_barrier_wait(&stop);
	nr = trace_drain(&d, "rt", "rt_hit");
	CHECK_EQ(nr, on ? THREADS * HITS + 1 : 0);
}

static void child(void)
{
	int status;
	pid_t pid;

	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	fflush(NULL);
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		trace_rt_hit(0, 1);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(trace_drain(&d, "rt", "rt_hit"), 1);
}

static bool has_word(int argc, char **argv, const char *word)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], word))
			return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	signal(SIGUSR1, on_signal);
	pthread_barrier_init(&start, NULL, THREADS + 1);
	pthread_barrier_init(&stop, NULL, THREADS + 1);
	trace_open(&d, getpid());
	/* under valgrind there must be no rseq */
	CHECK_EQ(!d.control->has_rseq, has_word(argc, argv, "slow"));
	for (long i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, work,
					(void *)(i + 1)), 0);
	for (int round = 0; round < ROUNDS; round++)
		one_round(round);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	if (!has_word(argc, argv, "alone"))
		child();
	driver_close(&d);
	return 0;
}
