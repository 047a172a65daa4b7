// SPDX-License-Identifier: MIT
// Threads and processes that end in the middle of calls.
#include <csignal>
#include <exception>
#include <pthread.h>
#include <stdexcept>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "habits.h"

// ---- threads ----

static int destroyed;

namespace {
struct guard {
	~guard() { __atomic_add_fetch(&destroyed, 1, __ATOMIC_RELAXED); }
};
}

NOINLINE static void exits(int depth)
{
	guard g;

	if (!depth)
		pthread_exit((void *)5);
	exits(depth - 1);
}

static void *exits_deep(void *)
{
	exits(10);
	return NULL;
}

static bool is_deep;

NOINLINE static void sleeps(int depth)
{
	guard g;

	if (depth)
		sleeps(depth - 1);
	__atomic_store_n(&is_deep, true, __ATOMIC_RELEASE);
	for (;;)
		usleep(1000);
}

static void *sleeps_deep(void *)
{
	sleeps(10);
	return NULL;
}

NOINLINE static unsigned long spins(unsigned long n)
{
	return n < 2 ? n : spins(n - 1) + spins(n - 2);
}

static void *spins_for_ever(void *)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (volatile unsigned long sum = 0; ; )
		sum = spins(10);
	return NULL;
}

static void threads(void)
{
	pthread_t thread;
	void *result;

	destroyed = 0;
	CHECK(!pthread_create(&thread, NULL, exits_deep, NULL));
	CHECK(!pthread_join(thread, &result) && result == (void *)5);
	CHECK(destroyed == 11);
	CHECK(!pthread_create(&thread, NULL, sleeps_deep, NULL));
	while (!__atomic_load_n(&is_deep, __ATOMIC_ACQUIRE))
		usleep(100);
	CHECK(!pthread_cancel(thread));
	CHECK(!pthread_join(thread, &result) && result == PTHREAD_CANCELED);
	CHECK(destroyed == 22);
	for (unsigned i = 0; i < 100; i++) {
		CHECK(!pthread_create(&thread, NULL, spins_for_ever, NULL));
		usleep(i * 11 % 300);
		CHECK(!pthread_cancel(thread));
		CHECK(!pthread_join(thread, &result) && result == PTHREAD_CANCELED);
	}
}

// ---- processes ----

NOINLINE static void throws(int depth)
{
	guard g;

	if (!depth)
		throw std::runtime_error("nobody catches it");
	throws(depth - 1);
}

NOINLINE static void throws_never(void) noexcept
{
	throws(3);
}

static void *throws_in_thread(void *)
{
	throws(4);
	return NULL;
}

NOINLINE static void says_42(void)
{
	_exit(42);
}

static void dies_uncaught(void)
{
	throws(5);
}

static void dies_in_noexcept(void)
{
	throws_never();
}

static void dies_in_thread(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, throws_in_thread, NULL);
	pthread_join(thread, NULL);
}

static void ends_by_handler(void)
{
	std::set_terminate(says_42);
	throws_never();
}

// Returns the status of a child that calls way().
static int status_of(void (*way)(void))
{
	const struct rlimit none = { 0, 0 };
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (!pid) {
		setrlimit(RLIMIT_CORE, &none);
		fclose(stderr);		// hide the library's message
		way();
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void ends_threads(void)
{
	threads();
	CHECK(status_of(dies_uncaught) == 128 + SIGABRT);
	CHECK(status_of(dies_in_noexcept) == 128 + SIGABRT);
	CHECK(status_of(dies_in_thread) == 128 + SIGABRT);
	CHECK(status_of(ends_by_handler) == 42);
}
