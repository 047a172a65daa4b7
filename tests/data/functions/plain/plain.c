/* SPDX-License-Identifier: MIT */
/*
 * A program without NOPs at its functions, which checks itself while functions are switched.
 *
 * Workers call functions of many kinds and compare the results with those of the start.
 * Sleepers wait in calls that the kernel does not restart by itself, and count EINTR.  A timer
 * sends signals to the workers only; their handlers call functions, too.
 *
 *	plain WORKERS		ends when its input ends; prints `ok' or what was wrong
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline, noclone))
#define WORKERS_MAX 16

static atomic_int is_over;
static atomic_int nr_wrong, nr_interrupted;
static atomic_long nr_rounds;

struct large { uint64_t words[12]; };

NOINLINE uint64_t plain_leaf(uint64_t a, uint64_t b)
{
	return a * 31 + (b ^ a >> 7);
}

NOINLINE uint64_t plain_recurse(uint64_t n)
{
	return n ? plain_leaf(plain_recurse(n - 1), n) : 17;
}

NOINLINE double plain_float(double a, float b, int c)
{
	return sqrt(a) * b + c;
}

NOINLINE struct large plain_large(uint64_t seed)
{
	struct large large;

	for (int i = 0; i < 12; i++)
		large.words[i] = plain_leaf(seed, (uint64_t)i);
	return large;
}

NOINLINE uint64_t plain_varargs(int nr, ...)
{
	uint64_t sum = 0;
	va_list args;

	va_start(args, nr);
	while (nr--)
		sum = plain_leaf(sum, va_arg(args, uint64_t));
	va_end(args);
	return sum;
}

NOINLINE uint64_t plain_switch(unsigned int n, uint64_t x)
{
	switch (n) {
	case 0: return x + 1;
	case 1: return plain_leaf(x, 1);
	case 2: return x * 5;
	case 3: return plain_recurse(x % 5);
	case 4: return ~x;
	case 5: return plain_leaf(2, x);
	case 6: return x << 3;
	case 7: return x / 3;
	}
	return 0;
}

NOINLINE uint64_t plain_tail(uint64_t a, uint64_t b)
{
	return plain_leaf(b, a + 1);
}

NOINLINE uint64_t plain_many(uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e, uint64_t f,
			     uint64_t g, uint64_t h)
{
	char copy[64];

	memset(copy, (int)a, sizeof(copy));
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + (uint64_t)copy[63];
}

NOINLINE void plain_leave(jmp_buf *to, int depth)
{
	if (!depth)
		longjmp(*to, 5);
	plain_leave(to, depth - 1);
	__asm__ volatile("" : : : "memory");
}

NOINLINE uint64_t plain_jump(void)
{
	jmp_buf to;
	int r = setjmp(to);

	if (!r)
		plain_leave(&to, 4);
	return (uint64_t)r;
}

/* All of it, as one number. */
NOINLINE uint64_t plain_round(uint64_t seed)
{
	struct large large = plain_large(seed);
	uint64_t sum = plain_recurse(seed % 9);

	for (int i = 0; i < 12; i++)
		sum = plain_leaf(sum, large.words[i]);
	for (unsigned int i = 0; i < 9; i++)
		sum += plain_switch(i, seed + i);
	sum += (uint64_t)(plain_float((double)seed, 1.5f, 3) * 1000);
	sum += plain_varargs(3, seed, seed + 1, seed + 2);
	sum += plain_tail(seed, sum) + plain_many(1, 2, 3, 4, 5, seed, 7, 8);
	return sum + plain_jump();
}

#define SEEDS 64
static uint64_t expected[SEEDS];

NOINLINE void plain_handler(int signo)
{
	int saved = errno;

	if (plain_round((uint64_t)signo) != expected[signo % SEEDS])
		nr_wrong++;
	errno = saved;
}

static void *work(void *arg)
{
	uint64_t seed = (uint64_t)(uintptr_t)arg;

	while (!is_over) {
		if (plain_round(seed % SEEDS) != expected[seed % SEEDS])
			nr_wrong++;
		seed++;
		nr_rounds++;
	}
	return NULL;
}

static void block_signals(void)
{
	sigset_t all;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
}

/* Wait in epoll_wait(), which the kernel does not restart. */
static void *wait_epoll(void *arg)
{
	int fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event;

	(void)arg;
	block_signals();
	while (!is_over)
		if (epoll_wait(fd, &event, 1, 50) < 0)
			nr_interrupted++;
	return NULL;
}

/* Wait in sigtimedwait(), which the kernel does not restart either. */
static void *wait_signal(void *arg)
{
	const struct timespec wait = { 0, 50000000 };
	sigset_t set;

	(void)arg;
	block_signals();
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	while (!is_over)
		if (sigtimedwait(&set, NULL, &wait) < 0 && errno != EAGAIN)
			nr_interrupted++;
	return NULL;
}

/* Start short threads all the time. */
static void *end_at_once(void *arg)
{
	return (void *)(uintptr_t)plain_round((uint64_t)(uintptr_t)arg);
}

static void *start_threads(void *arg)
{
	(void)arg;
	block_signals();
	for (uint64_t i = 0; !is_over; i = (i + 1) % SEEDS) {
		pthread_t thread;
		void *result;

		if (pthread_create(&thread, NULL, end_at_once, (void *)(uintptr_t)i))
			continue;
		pthread_join(thread, &result);
		if ((uint64_t)(uintptr_t)result != expected[i])
			nr_wrong++;
	}
	return NULL;
}

static void *(*const others[])(void *) = { wait_epoll, wait_signal, start_threads };
#define OTHERS (sizeof(others) / sizeof(others[0]))

int main(int argc, char **argv)
{
	int nr = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t workers[WORKERS_MAX], waiters[OTHERS];
	char byte;

	for (uint64_t i = 0; i < SEEDS; i++)
		expected[i] = plain_round(i);
	sigaction(SIGUSR1, &(struct sigaction){ .sa_handler = plain_handler,
						.sa_flags = SA_RESTART }, NULL);
	for (int i = 0; i < nr && i < WORKERS_MAX; i++)
		pthread_create(&workers[i], NULL, work, (void *)(uintptr_t)i);
	for (unsigned int i = 0; i < OTHERS; i++)
		pthread_create(&waiters[i], NULL, others[i], NULL);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) == 1)
		for (int i = 0; i < nr && i < WORKERS_MAX; i++)
			pthread_kill(workers[i], SIGUSR1);
	is_over = 1;
	for (int i = 0; i < nr && i < WORKERS_MAX; i++)
		pthread_join(workers[i], NULL);
	for (unsigned int i = 0; i < OTHERS; i++)
		pthread_join(waiters[i], NULL);
	if (nr_wrong || nr_interrupted)
		printf("%d wrong, %d interrupted\n", nr_wrong, nr_interrupted);
	else
		puts(nr_rounds > 100 ? "ok" : "too few rounds");
	return 0;
}
