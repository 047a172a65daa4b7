// SPDX-License-Identifier: MIT
// Frames that are left without a return: by exceptions, also passed to other threads, by jumps,
// and by jumps out of signal handlers at any instruction.
#include <csetjmp>
#include <csignal>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

#include "habits.h"

// ---- exceptions ----

static int destroyed;

namespace {
struct guard {
	~guard() { destroyed++; }
};
}

NOINLINE static int throws(int x)
{
	if (x < 0)
		throw std::runtime_error("negative " + std::to_string(x));
	return x;
}

NOINLINE static int passes_on(int depth, int x)
{
	guard g;

	return depth ? passes_on(depth - 1, x) + 1 : throws(x);
}

NOINLINE static int throws_again(int depth, int x)
{
	try {
		return passes_on(depth, x);
	} catch (std::runtime_error &) {
		guard g;
		throw;
	} catch (...) {
		CHECK(false);
	}
}

namespace {
struct cleans_up {
	~cleans_up()
	{
		// While one exception is in flight, another one is thrown and caught.
		try {
			passes_on(3, -2);
			CHECK(false);
		} catch (std::exception &e) {
			CHECK(std::string(e.what()) == "negative -2");
		}
	}
};
}

NOINLINE static void throws_in_between(void)
{
	cleans_up c;

	passes_on(2, -1);
}

static void *keeps_exception(void *arg)
{
	try {
		passes_on(5, -7);
	} catch (...) {
		*(std::exception_ptr *)arg = std::current_exception();
	}
	return NULL;
}

static void exceptions(void)
{
	std::exception_ptr kept;
	pthread_t thread;

	for (int depth = 0; depth < 30; depth++) {
		destroyed = 0;
		CHECK(throws_again(depth, depth) == 2 * depth);
		CHECK(destroyed == depth + 1);
		try {
			throws_again(depth, -1);
			CHECK(false);
		} catch (std::exception &e) {
			CHECK(std::string(e.what()) == "negative -1");
			CHECK(destroyed == 2 * depth + 3);
		}
		try {
			throws_in_between();
			CHECK(false);
		} catch (std::exception &e) {
			CHECK(std::string(e.what()) == "negative -1");
		}
	}
	CHECK(!pthread_create(&thread, NULL, keeps_exception, &kept));
	CHECK(!pthread_join(thread, NULL));
	try {
		std::rethrow_exception(kept);
	} catch (std::exception &e) {
		CHECK(std::string(e.what()) == "negative -7");
	}
}

// ---- jumps ----

static jmp_buf back;

NOINLINE static int jumps(int depth)
{
	volatile int x = depth;

	if (!depth)
		longjmp(back, 1);
	return jumps(depth - 1) + x;
}

static void plain_jumps(void)
{
	for (volatile int depth = 0; depth < 100; depth = depth + 1) {
		if (!setjmp(back)) {
			jumps(depth);
			CHECK(false);
		}
	}
}

// ---- jumps out of a handler that interrupts any instruction ----

static __thread sigjmp_buf timeout;
static __thread volatile sig_atomic_t has_timeout;

NOINLINE static void on_timeout(int)
{
	if (has_timeout) {
		has_timeout = 0;
		siglongjmp(timeout, 1);
	}
}

NOINLINE static unsigned long works(unsigned long n)
{
	return n < 2 ? n : works(n - 1) + works(n - 2);
}

static int nr_done;

static void *is_timed_out(void *)
{
	for (volatile int i = 0; i < 200; i = i + 1) {
		if (!sigsetjmp(timeout, 1)) {
			has_timeout = 1;
			for (volatile unsigned long sum = 0; ; )
				sum = works(12);
		}
		CHECK(works(10) == 55);
	}
	__atomic_add_fetch(&nr_done, 1, __ATOMIC_RELAXED);
	return NULL;
}

static void timeouts(void)
{
	pthread_t threads[2];

	signal(SIGUSR1, on_timeout);
	nr_done = 0;
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_create(&threads[i], NULL, is_timed_out, NULL));
	for (unsigned i = 0; __atomic_load_n(&nr_done, __ATOMIC_RELAXED) < 2; i++) {
		for (int n = 0; n < 2; n++)
			pthread_kill(threads[n], SIGUSR1);
		usleep(1 + i * 13 % 200);
	}
	for (int i = 0; i < 2; i++)
		CHECK(!pthread_join(threads[i], NULL));
}

// ---- faults that the program expects ----

static char *forbidden;
static sigjmp_buf after_fault;

NOINLINE static void on_fault(int, siginfo_t *info, void *)
{
	if (info->si_addr == forbidden)
		CHECK(!mprotect(forbidden, 4096, PROT_READ | PROT_WRITE));
	else
		siglongjmp(after_fault, 1);
}

NOINLINE static char touches(volatile char *p)
{
	*p = *p + 1;
	return *p;
}

static volatile unsigned long far = ~0ul;

NOINLINE static unsigned long overflows(unsigned long n)
{
	volatile unsigned long local = n;

	return n == far ? 0 : overflows(n + 1) + local;
}

static void faults(void)
{
	static char stack[65536];
	struct sigaction action = {}, old_segv, old_bus;
	stack_t alternate = {}, old;

	alternate.ss_sp = stack;
	alternate.ss_size = sizeof(stack);
	action.sa_sigaction = on_fault;
	action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	CHECK(!sigaltstack(&alternate, &old));
	CHECK(!sigaction(SIGSEGV, &action, &old_segv));
	CHECK(!sigaction(SIGBUS, &action, &old_bus));
	forbidden = (char *)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS,
				 -1, 0);
	CHECK(touches(forbidden) == 1);
	if (!sigsetjmp(after_fault, 1)) {
		touches((volatile char *)16);
		CHECK(false);
	}
	// The stack overflows in a function, or when a function is called.
	if (!sigsetjmp(after_fault, 1))
		CHECK(!overflows(0));
	CHECK(works(10) == 55);
	sigaction(SIGSEGV, &old_segv, NULL);
	sigaction(SIGBUS, &old_bus, NULL);
	sigaltstack(&old, NULL);
}

void leaves_frames(void)
{
	exceptions();
	plain_jumps();
#ifndef __SANITIZE_THREAD__
	timeouts();
	faults();
#endif
}
