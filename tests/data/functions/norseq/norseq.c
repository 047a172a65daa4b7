/* SPDX-License-Identifier: MIT */
/*
 * norseq [thread]: waits for a line of input, then calls functions CALLS times in a thread
 * that has no rseq, because the process has none, or because the thread unregisters its own.
 * A signal handler calls them, too.  Status 0: each call returned the right value.  The
 * number of calls is written to the file $CALLS.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#define CALLS		2000
#define UNTRACED	__attribute__((noinline, patchable_function_entry(0)))

static volatile int calls;

__attribute__((noinline)) int within(int x);
__attribute__((noinline)) int around(int x);

int within(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

int around(int x)
{
	return 2 * within(x);
}

static UNTRACED void call(int x)
{
	__atomic_add_fetch(&calls, 2, __ATOMIC_RELAXED);
	if (around(x) != 2 * x + 2)
		_exit(1);
}

static UNTRACED void handler(int nr)
{
	call(nr);
}

static UNTRACED void *runs(void *arg)
{
	struct itimerval often = { { 0, 300 }, { 0, 300 } }, never = { { 0 } };
	sigset_t set;

	if (arg && syscall(SYS_rseq, (char *)__builtin_thread_pointer() + __rseq_offset,
			   sizeof(struct rseq), RSEQ_FLAG_UNREGISTER, RSEQ_SIG))
		_exit(77);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < CALLS; i++)
		call(i);
	setitimer(ITIMER_REAL, &never, NULL);
	return NULL;
}

UNTRACED int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };
	pthread_t thread;
	sigset_t set;
	char line[16];
	FILE *file;

	(void)argv;
	sigaction(SIGALRM, &action, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (!fgets(line, sizeof(line), stdin) ||
	    pthread_create(&thread, NULL, runs, argc > 1 ? line : NULL) ||
	    pthread_join(thread, NULL))
		return 1;
	file = fopen(getenv("CALLS"), "w");
	return file && fprintf(file, "%d\n", calls) > 0 && !fclose(file) ? 0 : 1;
}
