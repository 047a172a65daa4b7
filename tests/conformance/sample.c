/* SPDX-License-Identifier: MIT */
/*
 * The kernel's samples/trace_events/trace-events-sample.h in a program, which hits its events
 * 13 times as the kernel's sample module does.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

/* The few types and macros of the kernel that the header uses.  The machine has 2 CPUs, the
 * kernel is built for up to 64. */
typedef struct cpumask {
	unsigned long bits[1];
} cpumask_t;

#define nr_cpumask_bits		64
#define num_possible_cpus()	2
#define cpumask_bits(mask)	((mask)->bits)
#define BITS_PER_BYTE		8
#define strlcpy(to, from, bytes) snprintf(to, bytes, "%s", from)


#define CREATE_TRACE_POINTS
#include "trace-events-sample.h"

#define ROUNDS 13

static const cpumask_t cpus = { { 0x3 } };
static const unsigned long bitmask[1] = { 0xdeadbeef };

static void hit_foo_bar(int round, const char *format, ...)
{
	static const char *const names[] = {
		"Mother Goose", "Snoopy", "Gandalf", "Frodo",
		"One ring to rule them all",
	};
	static const int list[5][5] = {
		{ 0 }, { 1 }, { 1, 2 }, { 1, 2, 3 }, { 1, 2, 3, 4 },
	};
	va_list args;

	va_start(args, format);
	trace_foo_bar("hello", round, list[round % 5], names[round % 5], &cpus,
		      format, &args);
	va_end(args);
}

static void *sample(void *arg)
{
	pthread_setname_np(pthread_self(), "event-sample");
	for (int round = 0; round < ROUNDS; round++) {
		hit_foo_bar(round, "iter=%d", round);
		trace_foo_with_template_simple("HELLO", round);
		trace_foo_bar_with_cond("Some times print", round);
		trace_foo_with_template_cond("prints other times", round);
		trace_foo_with_template_print("I have to be different", round);
		trace_foo_rel_loc("Hello __rel_loc", round,
				  (unsigned long *)bitmask, &cpus);
	}
	return arg;
}

/* ---- two events with functions that are called when the events go on and off ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t is_on = PTHREAD_COND_INITIALIZER;
static pthread_t sample_fn_thread;
static int nr_registered;

static void *sample_fn(void *arg)
{
	pthread_setname_np(pthread_self(), "event-sample-fn");
	/* The kernel's sample waits a second; then both events are on. */
	while (!trace_foo_bar_with_fn_enabled() ||
	       !trace_foo_with_template_fn_enabled())
		usleep(1000);
	for (int round = 0; round < ROUNDS; round++) {
		trace_foo_bar_with_fn("Look at me", round);
		trace_foo_with_template_fn("Look at me too", round);
	}
	return arg;
}

int foo_bar_reg(void)
{
	int r = 0;

	pthread_mutex_lock(&lock);
	if (!nr_registered++)
		r = pthread_create(&sample_fn_thread, NULL, sample_fn, NULL);
	pthread_cond_signal(&is_on);
	pthread_mutex_unlock(&lock);
	return -r;
}

void foo_bar_unreg(void)
{
	pthread_mutex_lock(&lock);
	nr_registered--;
	pthread_mutex_unlock(&lock);
}

int main(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, sample, NULL))
		return 1;
	pthread_join(thread, NULL);
	pthread_mutex_lock(&lock);
	while (!nr_registered)
		pthread_cond_wait(&is_on, &lock);
	pthread_mutex_unlock(&lock);
	pthread_join(sample_fn_thread, NULL);
	return 0;
}
