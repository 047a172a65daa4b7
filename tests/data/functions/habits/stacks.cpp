// SPDX-License-Identifier: MIT
// Stacks that are not a thread's own, and stacks that are used up to their end.
#include <csignal>
#include <cstring>
#include <pthread.h>
#include <stdexcept>
#include <ucontext.h>

#include "habits.h"

// ---- coroutines that move from thread to thread ----

#define COROUTINES	8
#define TURNS		60

struct coroutine {
	ucontext_t own, *resumer;
	char *stack;
	int nr_turns;
	bool is_done;
};

static struct coroutine coroutines[COROUTINES];

NOINLINE static void yields(struct coroutine *c)
{
	c->nr_turns++;
	swapcontext(&c->own, c->resumer);
}

NOINLINE static int descends(struct coroutine *c, int depth)
{
	volatile int left = depth;

	yields(c);
	if (!depth)
		throw std::runtime_error("at the bottom");
	return descends(c, depth - 1) + left;
}

static void runs_coroutine(int nr)
{
	struct coroutine *c = &coroutines[nr];

	while (c->nr_turns < TURNS) {
		try {
			descends(c, nr + 2);
			CHECK(false);
		} catch (std::exception &e) {
			CHECK(!std::strcmp(e.what(), "at the bottom"));
		}
	}
	c->is_done = true;
	for (;;)
		yields(c);
}

// Two threads resume the coroutines in turns, each one half of them, then the other half.
static pthread_barrier_t barrier;

static void *resumes(void *arg)
{
	long half = (long)arg;
	ucontext_t here;

	for (int turn = 0; turn < 2 * TURNS; turn++) {
		for (int i = 0; i < COROUTINES; i++) {
			if ((i + turn) % 2 != half)
				continue;
			coroutines[i].resumer = &here;
			swapcontext(&here, &coroutines[i].own);
		}
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

static void migrate(void)
{
	const size_t bytes = 256 * 1024;
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < COROUTINES; i++) {
		struct coroutine *c = &coroutines[i];

		c->stack = (char *)std::malloc(bytes);
		getcontext(&c->own);
		c->own.uc_stack.ss_sp = c->stack;
		c->own.uc_stack.ss_size = bytes;
		makecontext(&c->own, (void (*)())(void *)runs_coroutine, 1, i);
	}
	for (long i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, resumes, (void *)i));
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_join(threads[i], NULL));
	for (int i = 0; i < COROUTINES; i++) {
		CHECK(coroutines[i].is_done);
		std::free(coroutines[i].stack);
	}
}

// ---- signal stacks ----

static volatile int nr_signals;

NOINLINE static int adds(int x)
{
	return x ? adds(x - 1) + 1 : 0;
}

NOINLINE static void on_signal(int signal)
{
	nr_signals = nr_signals + 1;
	CHECK(adds(20) == 20);
	if (signal == SIGUSR1)
		raise(SIGUSR2);		// calls a handler within a handler
}

static void signal_stacks(void)
{
	struct sigaction action = {};
	stack_t stack = {}, old;

	stack.ss_size = 65536;
	stack.ss_sp = std::malloc(stack.ss_size);
	action.sa_handler = on_signal;
	action.sa_flags = SA_ONSTACK;
	CHECK(!sigaltstack(&stack, &old));
	CHECK(!sigaction(SIGUSR1, &action, NULL));
	CHECK(!sigaction(SIGUSR2, &action, NULL));
	nr_signals = 0;
	for (int i = 0; i < 100; i++)
		raise(SIGUSR1);
	CHECK(nr_signals == 200);
	sigaltstack(&old, NULL);
	std::free(stack.ss_sp);
}

// ---- deep stacks, and chains of tail calls, which need no stack ----

NOINLINE static long deep(long n)
{
	volatile long local = n;

	return n ? deep(n - 1) + (local - n) + 1 : 0;
}

static void *goes_deep(void *)
{
	CHECK(deep(100000) == 100000);
	return NULL;
}

NOINLINE static long pong(long n, long sum);

NOINLINE static long ping(long n, long sum)
{
	return n ? pong(n - 1, sum + 1) : sum;
}

NOINLINE static long pong(long n, long sum)
{
	return n ? ping(n - 1, sum + 2) : sum;
}

void switches_stacks(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	migrate();
	signal_stacks();
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 20);	// sanitizers need a large stack
	CHECK(!pthread_create(&thread, &attr, goes_deep, NULL));
	CHECK(!pthread_join(thread, NULL));
	CHECK(ping(5000, 0) == 7500);
}
