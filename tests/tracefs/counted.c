/* SPDX-License-Identifier: MIT */
/*
 * A program that counts its own calls, for comparison with the profiler.  It reads one word
 * per line, does what the word says, and answers with a line `name calls` for each function
 * that it has called, and a line `done`.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TRACED	__attribute__((noinline, patchable_function_entry(5)))
#define THREADS	4
#define CALLS	1000

int counted(int x);
int in_handler(int x);
void on_user(int signal);
int forks(void);
int jumps(int x);
int first(int x);
int second(int x);
int fib(int n);
int naps(int ms);
int around(int ms);
int waits(char *line, int bytes);
int works(int ms);
void dies(void);

TRACED int counted(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

/* ---- threads ---- */

static void *count(void *arg)
{
	for (int i = 0; i < CALLS; i++)
		counted(i);
	return arg;
}

static void do_threads(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, count, NULL))
			abort();
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("counted %d\n", THREADS * CALLS);
}

/* ---- signal handlers, which interrupt calls ---- */

static volatile sig_atomic_t handled;

TRACED int in_handler(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

static void on_alarm(int signal)
{
	in_handler(signal);
	handled++;
}

static void do_handlers(void)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } }, never = { 0 };
	int calls = 0;

	handled = 0;
	signal(SIGALRM, on_alarm);
	setitimer(ITIMER_REAL, &often, NULL);
	while (handled < 200) {
		counted(calls);
		calls++;
	}
	setitimer(ITIMER_REAL, &never, NULL);
	printf("counted %d\nin_handler %d\n", calls, (int)handled);
}

TRACED void on_user(int signal)
{
	in_handler(signal);
	handled++;
}

static void do_signals(void)
{
	signal(SIGUSR1, on_user);
	for (int i = 0; i < 100; i++) {
		counted(i);
		raise(SIGUSR1);
	}
	printf("counted 100\non_user 100\nin_handler 100\n");
}

/* ---- fork: the call belongs to the parent, and the child's calls count, too ---- */

TRACED int forks(void)
{
	int pid = fork();

	__asm__ volatile("" : "+r"(pid));
	return pid;
}

static void do_fork(void)
{
	int pid = forks();

	count(NULL);
	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	printf("forks 1\ncounted %d\n", 2 * CALLS);
}

/* ---- ways to leave a function ---- */

static jmp_buf out;

TRACED int jumps(int x)
{
	counted(x);
	if (x)
		longjmp(out, 1);
	return x;
}

static void do_jumps(void)
{
	volatile int calls = 0;

	while (calls < CALLS)
		if (!setjmp(out))
			jumps(++calls);
	printf("jumps %d\ncounted %d\n", CALLS, CALLS);
}

TRACED int second(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x;
}

TRACED int first(int x)
{
	__asm__ volatile("" : "+r"(x));
	return second(x);		/* a tail call */
}

static void do_tails(void)
{
	for (int i = 0; i < CALLS; i++)
		first(i);
	printf("first %d\nsecond %d\n", CALLS, CALLS);
}

TRACED int fib(int n)
{
	int one, two;

	if (n < 2)
		return n;
	one = fib(n - 1);
	two = fib(n - 2);
	__asm__ volatile("" : "+r"(one), "+r"(two));	/* keeps the compiler from making a
							 * loop of the calls */
	return one + two;
}

static void do_fib(void)
{
	fib(12);
	printf("fib 465\n");
}

/* ---- time ---- */

TRACED int naps(int ms)
{
	usleep((unsigned int)ms * 1000);
	return ms;
}

TRACED int around(int ms)
{
	return naps(ms) + 1;
}

static long ran_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return time.tv_sec * 1000000000 + time.tv_nsec;
}

TRACED int works(int ms)
{
	long end_ns = ran_ns() + ms * 1000000;

	while (ran_ns() < end_ns)
		;
	return ms;
}

static void do_works(void)
{
	for (int i = 0; i < 3; i++)
		works(5);
	printf("works 3\n");
}

static void do_naps(void)
{
	for (int i = 0; i < 3; i++)
		around(20);
	printf("around 3\nnaps 3\n");
}

/* ---- a call that lasts until it is asked to end ---- */

TRACED int waits(char *line, int bytes)
{
	puts("waiting");
	if (!fgets(line, bytes, stdin))
		abort();
	return counted(bytes) + 1;
}

static void do_waits(void)
{
	char line[64];

	counted(waits(line, sizeof(line)));
	printf("waits 1\ncounted 2\n");
}

/* ---- a library that is unloaded afterwards ---- */

static const char *library;

static void do_library(void)
{
	void *handle = dlopen(library, RTLD_NOW);
	int (*plugged)(int x) = handle ? (int (*)(int))dlsym(handle, "plugged") : NULL;
	char line[64];

	if (!plugged)
		abort();
	puts("loaded");
	if (!fgets(line, sizeof(line), stdin))
		abort();
	for (int i = 0; i < CALLS; i++)
		plugged(i);
	dlclose(handle);
	printf("plugged %d\n", CALLS);
}

/* ---- the end ---- */

TRACED void dies(void)
{
	puts("counted 1000\ndies 1\ndone");
	kill(getpid(), SIGKILL);
	pause();
}

static void do_kill(void)
{
	count(NULL);
	dies();
}

static const struct {
	const char *word;
	void (*run)(void);
} words[] = {
	{ "threads", do_threads }, { "handlers", do_handlers },
	{ "signals", do_signals }, { "fork", do_fork },
	{ "jumps", do_jumps }, { "tails", do_tails }, { "fib", do_fib },
	{ "naps", do_naps }, { "works", do_works }, { "library", do_library },
	{ "waits", do_waits }, { "kill", do_kill },
};

int main(int argc, char **argv)
{
	char line[64];

	library = argc > 1 ? argv[1] : "";
	setvbuf(stdout, NULL, _IOLBF, 0);
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
			if (!strcmp(words[i].word, line))
				words[i].run();
		puts("done");
	}
}
