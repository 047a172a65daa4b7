/* SPDX-License-Identifier: MIT */
/*
 * Signals and what their handlers call.  Each line of stdin is the name of one way to get
 * some; "done" is the answer to each.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define INSIDE	__attribute__((noinline))
#define OUTSIDE	__attribute__((noinline, patchable_function_entry(0)))
#define BEHIND	__asm__ volatile("")	/* the call before it is not the last act */
#define STACK	65536

static volatile int sum;
static sigjmp_buf back;

INSIDE void leaf(void)
{
	sum++;
}

INSIDE void inner(void)
{
	leaf();
	BEHIND;
}

INSIDE void on_usr1(int sig)
{
	(void)sig;
	inner();
	leaf();
	BEHIND;
}

INSIDE void on_usr2(int sig)
{
	(void)sig;
	leaf();
	raise(SIGUSR1);
	BEHIND;
}

INSIDE void on_hup(int sig)
{
	(void)sig;
	sum++;
}

/* Its last act: what is called then returns to where the handler would. */
INSIDE void on_int(int sig)
{
	(void)sig;
	inner();
}

INSIDE void on_term(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

OUTSIDE static void on_quit(int sig)
{
	(void)sig;
	inner();
	BEHIND;
}

/* ---- ways ---- */

OUTSIDE static void at_once(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGHUP);
	raise(SIGUSR1);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

INSIDE void outer(int sig)
{
	leaf();
	if (sig)
		raise(sig);
	else
		at_once();
	leaf();
	BEHIND;
}

INSIDE void jumps(int sig)
{
	if (!sigsetjmp(back, 1))
		raise(sig);
	inner();
	BEHIND;
}

OUTSIDE static void *run_thread(void *arg)
{
	(void)arg;
	outer(SIGUSR1);
	return NULL;
}

/* Its stack for signals is @arg, above its own. */
OUTSIDE static void *run_below(void *arg)
{
	stack_t above = { .ss_sp = arg, .ss_size = STACK };

	if (sigaltstack(&above, NULL))
		abort();
	outer(SIGABRT);
	jumps(SIGALRM);
	/* Of another one: no function that was there before has returned. */
	outer(SIGABRT);
	return NULL;
}

OUTSIDE static void run_threads(void *(*fn)(void *))
{
	char *stacks = mmap(NULL, 2 * STACK, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	if (stacks == MAP_FAILED || pthread_attr_init(&attr) ||
	    pthread_attr_setstack(&attr, stacks, STACK) ||
	    pthread_create(&thread, &attr, fn, stacks + STACK) ||
	    pthread_join(thread, NULL) || munmap(stacks, 2 * STACK))
		abort();
}

/* Those in which outer() gets a signal. */
static const struct {
	const char *way;
	int sig;
} ways[] = {
	{ "plain", SIGUSR1 }, { "nested", SIGUSR2 }, { "leaf", SIGHUP },
	{ "last", SIGINT }, { "outside", SIGQUIT }, { "stack", SIGABRT },
	{ "pending", 0 },
};

OUTSIDE static void run(const char *way)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
		if (!strcmp(way, ways[i].way))
			outer(ways[i].sig);
	if (!strcmp(way, "call"))
		on_usr1(0);
	if (!strcmp(way, "jump"))
		jumps(SIGTERM);
	if (!strcmp(way, "thread"))
		run_threads(run_thread);
	if (!strcmp(way, "below"))
		run_threads(run_below);
}

OUTSIDE static void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags };

	sigaction(sig, &action, NULL);
}

OUTSIDE int main(void)
{
	stack_t other = { .ss_size = STACK };
	char line[64];

	/* Below the program's stack. */
	other.ss_sp = mmap(NULL, STACK, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (other.ss_sp == MAP_FAILED || sigaltstack(&other, NULL))
		return 1;
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		/* After the first switch of the tracer, so nobody was told before. */
		handle(SIGUSR1, on_usr1, SA_SIGINFO);
		handle(SIGUSR2, on_usr2, 0);
		handle(SIGHUP, on_hup, SA_NODEFER);
		handle(SIGINT, on_int, 0);
		handle(SIGTERM, on_term, 0);
		handle(SIGQUIT, on_quit, 0);
		handle(SIGABRT, on_usr1, SA_ONSTACK);
		handle(SIGALRM, on_term, SA_ONSTACK);
		run(line);
		puts("done");
		fflush(stdout);
	}
	return 0;
}
