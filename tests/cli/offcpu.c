/* SPDX-License-Identifier: MIT */
/*
 * Sleeps of known number in functions of known names, for tests/cli/offcpu.sh:
 *
 *	cli-offcpu		waits for a line on stdin, sleeps, prints "KIND CALLS SLEEPS NS" for
 *				each kind, then waits for a second line
 *
 * SLEEPS is the number of calls in which the thread has slept, as the kernel counts (getrusage(2)),
 * and NS the time of the calls by the program's own clock.
 */
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define NAP_NS		10000000
#define NAPS		20
#define POLLS		12
#define WAITS		15
#define READS		10

#define NO_INLINE	__attribute__((noinline))

static int pipe_fds[2], empty_fds[2];
static pid_t reader_tid;
static int nr_read;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* An instruction after a call keeps the call from becoming a jump, which leaves no frame. */
static void keep_frame(void)
{
	__asm__ volatile("");
}

static NO_INLINE void take_nap(void)
{
	const struct timespec nap = { 0, NAP_NS };

	nanosleep(&nap, NULL);
	keep_frame();
}

static NO_INLINE void wait_in_poll(void)
{
	struct pollfd fd = { empty_fds[0], POLLIN, 0 };

	poll(&fd, 1, NAP_NS / 1000000);
	keep_frame();
}

static NO_INLINE void wait_for_condition(void)
{
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_cond_t cond;
	pthread_condattr_t attr;
	struct timespec until;

	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&cond, &attr);
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += NAP_NS;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&mutex);
	pthread_cond_timedwait(&cond, &mutex, &until);
	pthread_mutex_unlock(&mutex);
}

static NO_INLINE void read_answer(void)
{
	char byte;

	if (read(pipe_fds[0], &byte, 1) != 1)
		abort();
	__atomic_add_fetch(&nr_read, 1, __ATOMIC_RELEASE);
}

static int is_reader_asleep(void)
{
	char path[64], state = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", reader_tid);
	file = fopen(path, "re");
	if (!file || fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
		abort();
	fclose(file);
	return state == 'S';
}

/* Write a byte each time when the reader sleeps in read(). */
static void *answer(void *arg)
{
	for (int i = 0; i < READS; i++) {
		while (!is_reader_asleep())
			sched_yield();
		if (write(pipe_fds[1], "x", 1) != 1)
			abort();
		/* The reader must have left this read(). */
		while (__atomic_load_n(&nr_read, __ATOMIC_ACQUIRE) <= i)
			sched_yield();
	}
	return arg;
}

static long nr_sleeps(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return usage.ru_nvcsw;
}

static void repeat(const char *kind, void (*sleep_once)(void), int count)
{
	uint64_t start = now_ns();
	int sleeps = 0;

	for (int i = 0; i < count; i++) {
		long before = nr_sleeps();

		sleep_once();
		sleeps += nr_sleeps() != before;
	}
	printf("%s %d %d %llu\n", kind, count, sleeps, (unsigned long long)(now_ns() - start));
}

static void wait_for_line(void)
{
	while (getchar() != '\n')
		if (feof(stdin))
			exit(1);
}

int main(void)
{
	pthread_t thread;

	if (pipe(pipe_fds) || pipe(empty_fds))
		return 1;
	wait_for_line();
	repeat("clock_nanosleep", take_nap, NAPS);
	repeat("poll", wait_in_poll, POLLS);
	repeat("futex", wait_for_condition, WAITS);
	reader_tid = (pid_t)syscall(SYS_gettid);
	if (pthread_create(&thread, NULL, answer, NULL))
		return 1;
	repeat("read", read_answer, READS);
	fflush(stdout);
	wait_for_line();
	pthread_join(thread, NULL);
	return 0;
}
