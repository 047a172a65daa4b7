/* SPDX-License-Identifier: MIT */
/*
 * Do what the events of ulf_sched record, and print what the system itself has counted.  Each
 * line of stdin is a command:
 *
 *	sleep NR	sleep NR times, with a mark before and after each sleep
 *	thread NR	the same in a new thread
 *	yield NR	give up the CPU NR times, while another thread wants the same CPU
 *	stat		print the thread's numbers of /proc/thread-self/schedstat: time that it has
 *			run, time that it has waited for a CPU, ns; how often it was switched in
 *	run		start /bin/true, and a child that calls _exit()
 *	close		close all descriptors but stdin, stdout and stderr, and use the numbers
 *	exit		call exit()
 *
 * sleep, thread and yield print "TID VOLUNTARY INVOLUNTARY", the switches between the first and
 * the last mark that getrusage() has counted.  The others print "done".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <ulf/tracing.h>
#define CREATE_TRACE_POINTS
#include "switcher_trace.h"

#define FILES	64

static struct rusage usage(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage;
}

/* Write a mark at a moment at which the thread is not switched.  Returns the counts. */
static struct rusage mark_quietly(int number)
{
	struct rusage before, after;

	do {
		before = usage();
		trace_switcher_mark(number);
		after = usage();
	} while (before.ru_nvcsw != after.ru_nvcsw || before.ru_nivcsw != after.ru_nivcsw);
	return before;
}

static void repeat(int nr, void (*once)(void))
{
	struct rusage first, last;

	first = mark_quietly(-1);
	for (int i = 0; i < nr; i++) {
		trace_switcher_mark(2 * i + 1);
		once();
		trace_switcher_mark(2 * i + 2);
	}
	last = mark_quietly(-2);
	printf("%ld %ld %ld\n", (long)syscall(SYS_gettid), last.ru_nvcsw - first.ru_nvcsw,
	       last.ru_nivcsw - first.ru_nivcsw);
}

static void sleep_once(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = 50000 }, NULL);
}

static void yield_once(void)
{
	sched_yield();
}

static void *sleep_in_thread(void *arg)
{
	prctl(PR_SET_NAME, "sleeper");
	repeat((int)(long)arg, sleep_once);
	return NULL;
}

static bool is_over;

static void *want_cpu(void *arg)
{
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		sched_yield();
	return arg;
}

static void yield_to_other(int nr)
{
	cpu_set_t all, one;
	pthread_t other;

	sched_getaffinity(0, sizeof(all), &all);
	CPU_ZERO(&one);
	CPU_SET((size_t)sched_getcpu(), &one);
	sched_setaffinity(0, sizeof(one), &one);
	is_over = false;
	if (pthread_create(&other, NULL, want_cpu, NULL))
		exit(1);
	repeat(nr, yield_once);
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
	sched_setaffinity(0, sizeof(all), &all);
}

static void print_schedstat(void)
{
	unsigned long long ran, waited, nr;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");

	if (!file || fscanf(file, "%llu %llu %llu", &ran, &waited, &nr) != 3)
		exit(6);
	fclose(file);
	printf("%llu %llu %llu\n", ran, waited, nr);
}

static void run_children(void)
{
	pid_t child = fork();

	if (!child) {
		execl("/bin/true", "true", (char *)NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

/* Each file must keep its own contents, whatever the agent does with its descriptors. */
static void close_all(void)
{
	char path[] = "/tmp/switcher.XXXXXX", text[32], back[32];
	int fds[FILES];

	if (close_range(3, ~0u, 0))
		exit(2);
	for (int i = 0; i < FILES; i++) {
		strcpy(path + strlen(path) - 6, "XXXXXX");
		fds[i] = mkstemp(path);
		if (fds[i] != i + 3)
			exit(3);
		unlink(path);
		snprintf(text, sizeof(text), "file %d", i);
		if (write(fds[i], text, sizeof(text)) != sizeof(text))
			exit(4);
	}
	for (int i = 0; i < 100; i++)
		sleep_once();
	for (int i = 0; i < FILES; i++) {
		snprintf(text, sizeof(text), "file %d", i);
		if (pread(fds[i], back, sizeof(back), 0) != sizeof(back) || strcmp(text, back) ||
		    close(fds[i]))
			exit(5);
	}
}

static bool do_command(const char *line)
{
	char word[16] = "";
	pthread_t thread;
	int nr = 0;

	sscanf(line, "%15s %d", word, &nr);
	if (!strcmp(word, "exit"))
		return false;
	if (!strcmp(word, "sleep"))
		repeat(nr, sleep_once);
	else if (!strcmp(word, "yield"))
		yield_to_other(nr);
	else if (!strcmp(word, "thread") &&
		 !pthread_create(&thread, NULL, sleep_in_thread, (void *)(long)nr))
		pthread_join(thread, NULL);
	else if (!strcmp(word, "run"))
		run_children();
	else if (!strcmp(word, "close"))
		close_all();
	if (!strcmp(word, "stat"))
		print_schedstat();
	else if (!nr)
		puts("done");
	fflush(stdout);
	return true;
}

int main(void)
{
	char line[64];

	while (fgets(line, sizeof(line), stdin) && do_command(line))
		;
	return 0;
}
