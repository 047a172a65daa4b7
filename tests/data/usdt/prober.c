/* SPDX-License-Identifier: MIT */
/*
 * A program with USDT probes, which does what lines of its input say:
 *
 *	hit N		hit each probe once
 *	loop N		call a function with probes N times, and compare its results
 *	semaphore	print the value of the semaphore
 *	load FILE, unload	a library
 *	threads N	run N threads that call functions with probes, until "stop"
 *	fork		a child does "hit 1000" and ends
 */
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probe.h"

SEMAPHORE(counted);
int global = -77;
static void *library;
static volatile int is_over;

/* One probe at several places, with arguments of other sizes. */
__attribute__((noinline)) static void many_places(int value)
{
	PROBE1("prober", "place", "-4", value);
	if (value & 1) {
		int64_t large = value * 1000000000000ll;

		PROBE1("prober", "place", "-8", large);
	}
}

__attribute__((noinline)) static void hit(int value)
{
	unsigned char small = (unsigned char)value;
	const char *text = "text";

	PROBE0("prober", "nothing");
	PROBE2("prober", "two", "-4", value, "1", small);
	PROBE2("prober", "constants", "-4", -5, "8", text);
	PROBE_IF("prober", "counted", counted, "-4", value);
	__asm__ volatile(PROBE_NOTE("prober", "global", "0", "-4@global(%rip) -4@global+0(%rip)"));
	many_places(value);
}

/* Leaf functions use the red zone, and compilers keep values in all registers and in the flags
 * across a probe.  If a hit changed any of them, the result would be wrong. */
__attribute__((noinline)) static uint64_t mix(uint64_t a)
{
	volatile uint64_t red[4] = { a, a + 1, a + 2, a + 3 };
	double x = (double)a, y = x * 3;
	uint64_t flags;

	__asm__ volatile("stc\n" PROBE_NOTE("prober", "mix", "0", "8@%1")
			 "sbbq %0, %0\n" : "=&r"(flags) : "r"(a) : "cc");
	PROBE1("prober", "mix", "8", a);
	return red[0] + red[1] * 3 + red[2] * 5 + red[3] * 7 + (uint64_t)(x + y) + (flags & 1);
}

static void check(uint64_t a)
{
	uint64_t sum = a + (a + 1) * 3 + (a + 2) * 5 + (a + 3) * 7 + a * 4 + 1;

	if (mix(a) != sum) {
		printf("wrong\n");
		abort();
	}
}

static void on_signal(int number)
{
	(void)number;
	check(5);
}

static void *work(void *arg)
{
	for (uint64_t i = 0; !is_over; i++)
		check(i & 0xfffff);
	return arg;
}

static pthread_t threads[64];
static int nr_threads;

static void start_threads(int nr)
{
	struct itimerval often = { { 0, 500 }, { 0, 500 } };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &often, NULL);
	is_over = 0;
	for (nr_threads = 0; nr_threads < nr && nr_threads < 64; nr_threads++)
		pthread_create(&threads[nr_threads], NULL, work, NULL);
}

static void stop_threads(void)
{
	struct itimerval never = { { 0, 0 }, { 0, 0 } };

	is_over = 1;
	setitimer(ITIMER_REAL, &never, NULL);
	while (nr_threads)
		pthread_join(threads[--nr_threads], NULL);
}

static void in_library(int value)
{
	void (*fn)(int) = NULL;

	*(void **)&fn = library ? dlsym(library, "library_hit") : NULL;
	if (fn)
		fn(value);
}

static void obey(const char *word, const char *arg)
{
	int value = atoi(arg);

	if (!strcmp(word, "hit")) {
		hit(value);
		in_library(value);
	} else if (!strcmp(word, "loop")) {
		for (int i = 0; i < value; i++)
			check((uint64_t)i);
	} else if (!strcmp(word, "load")) {
		library = dlopen(arg, RTLD_NOW);
	} else if (!strcmp(word, "unload")) {
		dlclose(library);
		library = NULL;
	} else if (!strcmp(word, "threads")) {
		start_threads(value);
	} else if (!strcmp(word, "stop")) {
		stop_threads();
	} else if (!strcmp(word, "fork")) {
		pid_t child = fork();

		if (!child) {
			hit(1000);
			_exit(0);
		}
		waitpid(child, NULL, 0);
	}
	printf("%s %d\n", word, counted);
	fflush(stdout);
}

int main(void)
{
	char line[512], word[16], arg[512];

	printf("ready\n");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		*arg = '\0';
		if (sscanf(line, "%15s %511s", word, arg) >= 1)
			obey(word, arg);
	}
	stop_threads();
	return 0;
}
