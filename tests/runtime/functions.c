/* SPDX-License-Identifier: MIT */
/*
 * Callbacks at function entries: who is called and with what, chosen functions,
 * switching while threads run through the sites, and a thread that stands
 * between the NOPs of a site when it is switched.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <ucontext.h>

#include "lib/check.h"
#include <linux/ftrace.h>

/* Not static: the compiler would make versions of them for its own calls. */
#define TRACED	__attribute__((noinline, patchable_function_entry(5)))

int one(int x);
double two(double x, int nr, ...);
int caller(int x);

TRACED int one(int x)
{
	__asm__ volatile("" : "+r"(x));
	return x + 1;
}

TRACED double two(double x, int nr, ...)
{
	__asm__ volatile("" : "+x"(x));
	return x * nr;
}

TRACED int caller(int x)
{
	return one(x) + one(x) + 1;
}

/* ---- who is called ---- */

/* The compiler knows that no function here changes it. */
struct seen {
	volatile unsigned long hits, ip, parent;
};

static void see(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		struct ftrace_regs *regs)
{
	struct seen *seen = ops->private;

	CHECK(!regs);
	__atomic_add_fetch(&seen->hits, 1, __ATOMIC_RELAXED);
	seen->ip = ip;
	seen->parent = parent;
	/* What a callback calls is not traced, or this would never end. */
	CHECK(one(1) == 2);
	errno = EBADMSG;		/* nobody else's */
}

static bool is_in(unsigned long addr, const void *function)
{
	return addr >= (unsigned long)function &&
	       addr < (unsigned long)function + 64;
}

static void test_callbacks(void)
{
	struct seen all_seen = { 0 }, one_seen = { 0 };
	struct ftrace_ops all = { .func = see, .private = &all_seen };
	struct ftrace_ops only = { .func = see, .private = &one_seen };
	struct ftrace_ops none = { 0 };

	CHECK(register_ftrace_function(&none) == -EINVAL);
	CHECK(unregister_ftrace_function(&all) == -ENOENT);
	CHECK(!ftrace_set_filter_ip(&only, (unsigned long)one, 0, 0));
	CHECK(!register_ftrace_function(&all));
	CHECK(!register_ftrace_function(&only));
	errno = ENOTTY;
	CHECK(caller(3) == 9);
	CHECK(*(volatile int *)&errno == ENOTTY);
	CHECK(two(1.5, 2) == 3.0);
	CHECK(all_seen.hits == 4 && is_in(all_seen.ip, two));
	CHECK(one_seen.hits == 2 && is_in(one_seen.ip, one) &&
	      is_in(one_seen.parent, caller));
	CHECK(!unregister_ftrace_function(&all));
	CHECK(caller(3) == 9 && all_seen.hits == 4 && one_seen.hits == 4);
	/* another choice, while it is registered */
	CHECK(!ftrace_set_filter_ip(&only, (unsigned long)two, 0, 1));
	CHECK(caller(3) == 9 && one_seen.hits == 4);
	CHECK(two(2, 2) == 4 && one_seen.hits == 5);
	CHECK(!unregister_ftrace_function(&only));
	CHECK(two(2, 2) == 4 && one_seen.hits == 5);
}

/* ---- while threads run ---- */

static bool is_done;

static void *run(void *arg)
{
	(void)arg;
	for (long i = 0; !__atomic_load_n(&is_done, __ATOMIC_RELAXED); i++) {
		CHECK(caller((int)i % 1000) == 2 * ((int)i % 1000) + 3);
		CHECK(two((double)(i % 100), 3, i, 1.0) == (double)(i % 100) * 3);
	}
	return NULL;
}

static void count(unsigned long ip, unsigned long parent, struct ftrace_ops *ops,
		  struct ftrace_regs *regs)
{
	(void)ip;
	(void)parent;
	(void)regs;
	__atomic_add_fetch((unsigned long *)ops->private, 1, __ATOMIC_RELAXED);
}

static void test_switching(void)
{
	unsigned long hits = 0;
	struct ftrace_ops ops = { .func = count, .private = &hits };
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		CHECK(!pthread_create(&threads[i], NULL, run, NULL));
	for (int i = 0; i < 300; i++) {
		unsigned long before;

		CHECK(!register_ftrace_function(&ops));
		CHECK(caller(1) == 5);
		CHECK(!unregister_ftrace_function(&ops));
		before = __atomic_load_n(&hits, __ATOMIC_RELAXED);
		sched_yield();
		/* It returned, so nobody calls it any more. */
		CHECK(__atomic_load_n(&hits, __ATOMIC_RELAXED) == before);
	}
	__atomic_store_n(&is_done, true, __ATOMIC_RELAXED);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	CHECK(hits >= 900);
}

/* ---- between the NOPs ---- */

static struct ftrace_ops step_ops;
static unsigned long step_hits;
static uint64_t stop_at;		/* an address in the site */
static bool is_switching_on, has_stopped;

static void on_step(int signal, siginfo_t *info, void *context)
{
	greg_t *regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	if ((uint64_t)regs[REG_RIP] != stop_at || has_stopped)
		return;
	has_stopped = true;
	if (is_switching_on)
		CHECK(!register_ftrace_function(&step_ops));
	else
		CHECK(!unregister_ftrace_function(&step_ops));
}

/* Those that were never traced before. */
#define FRESH(n)							\
	int fresh_##n(int x);						\
	TRACED int fresh_##n(int x)					\
	{								\
		__asm__ volatile("" : "+r"(x));				\
		return x + 1;						\
	}
FRESH(0) FRESH(1) FRESH(2) FRESH(3) FRESH(4)
static int (*const fresh[])(int) = { fresh_0, fresh_1, fresh_2, fresh_3, fresh_4 };

/* It runs with the trap flag, one instruction a signal. */
static int stepped(int (*function)(int), int x)
{
	int result;

	__asm__ volatile("pushfq; orl $0x100, (%rsp); popfq");
	result = function(x);
	__asm__ volatile("pushfq; andl $~0x100, (%rsp); popfq");
	return result;
}

/* Switch each of them while a thread stands at that place of it.  Returns how
 * often there was one. */
static int step_all(void)
{
	int nr_stops = 0;

	for (int at = 0; at < 5; at++) {
		uint64_t site = (uint64_t)fresh[at];

		CHECK(!ftrace_set_filter_ip(&step_ops, site, 0, 1));
		for (int on = 1; on >= 0; on--) {
			if (!on && !has_stopped)
				CHECK(!register_ftrace_function(&step_ops));
			is_switching_on = on;
			has_stopped = false;
			stop_at = site + (uint64_t)at;
			CHECK(stepped(fresh[at], at) == at + 1);
			nr_stops += has_stopped;
			if (!on && !has_stopped)
				CHECK(!unregister_ftrace_function(&step_ops));
		}
	}
	return nr_stops;
}

static void test_steps(void)
{
	struct sigaction action = {
		.sa_sigaction = on_step, .sa_flags = SA_SIGINFO,
	};
	int nr_stops;

	CHECK(!sigaction(SIGTRAP, &action, NULL));
	step_ops = (struct ftrace_ops){ .func = count, .private = &step_hits };
	/* In front of it always, switched on or off; between its NOPs if it
	 * has several, where only switching on can meet a thread. */
	nr_stops = step_all();
	CHECK(nr_stops == 2 || nr_stops == 6);
	/* Once they were traced, they may be fewer instructions. */
	CHECK(step_all() >= 2);
	CHECK(caller(1) == 5);
}

int main(void)
{
	test_steps();
	test_callbacks();
	test_switching();
	return 0;
}
