/* SPDX-License-Identifier: MIT */
/*
 * A program for the tests of ulf_libc, which is not linked with libulf.  It keeps a list of its own
 * calls of malloc(), free(), ... and their results, so it is the witness of the events.
 *
 *	run THREADS N	each thread makes N calls; then a line for each of them says its thread,
 *			function, result and size
 *	storm THREADS	the threads make calls until `stop', which prints the number of errors
 *
 *	contend N	a thread waits N times for a mutex that the first thread has, then locks it
 *			many times without waiting, and recursively, and at last waits in vain; a
 *			line for each time that it has waited: thread, mutex, owner, and the least
 *			and the greatest number of nanoseconds that it can have taken
 *
 *	leave N		makes N threads, one after the other, that are detached and unmap the
 *			memory in which pthread_create() has stored their number
 *
 * Each call must leave errno as it was.  It writes with write(2): stdio would call malloc().
 */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define THREADS_MAX	32
#define CALLS_MAX	4000
#define BLOCKS		16
#define ERRNO		77

struct call {
	const char *name;
	void *ptr;
	size_t bytes;
};

struct thread {
	pthread_t id;
	int tid, nr_calls, wanted;
	uint64_t random, errors, done;
	unsigned char *block[BLOCKS];
	size_t bytes[BLOCKS];
	struct call calls[CALLS_MAX + BLOCKS];
};

static struct thread *threads;
static volatile bool must_stop;

static uint32_t next_random(struct thread *t)
{
	t->random = t->random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(t->random >> 33);
}

static void note(struct thread *t, const char *name, void *ptr, size_t bytes)
{
	if (errno != ERRNO)
		t->errors++;
	errno = ERRNO;
	t->done++;
	if (t->wanted)
		t->calls[t->nr_calls++] = (struct call){ name, ptr, bytes };
}

/* Fill a block, so that the next look at it finds out whether it was this thread's alone. */
static void fill(struct thread *t, int i, void *ptr, size_t bytes)
{
	t->block[i] = ptr;
	t->bytes[i] = bytes;
	memset(ptr, i + 1, bytes);
}

static void check(struct thread *t, int i, size_t bytes)
{
	for (size_t at = 0; at < bytes; at++)
		if (t->block[i][at] != i + 1) {
			t->errors++;
			return;
		}
}

__attribute__((noinline)) static void allocate(struct thread *t, int i, size_t bytes)
{
	void *ptr = NULL;

	switch (next_random(t) % 5) {
	case 0:
		ptr = calloc(bytes, 3);
		bytes *= 3;
		note(t, "calloc", ptr, bytes);
		break;
	case 1:
		ptr = aligned_alloc(64, bytes * 64);
		bytes *= 64;
		note(t, "memalign", ptr, bytes);
		break;
	case 2:
		if (posix_memalign(&ptr, 128, bytes))
			t->errors++;
		note(t, "memalign", ptr, bytes);
		break;
	default:
		ptr = malloc(bytes);
		note(t, "malloc", ptr, bytes);
	}
	fill(t, i, ptr, bytes);
}

__attribute__((noinline)) static void step(struct thread *t)
{
	int i = (int)(next_random(t) % BLOCKS);
	size_t bytes = next_random(t) % 3000 + 1;

	if (!t->block[i]) {
		allocate(t, i, bytes);
	} else if (next_random(t) % 3) {
		check(t, i, t->bytes[i]);
		free(t->block[i]);
		note(t, "free", t->block[i], 0);
		t->block[i] = NULL;
	} else {
		size_t old = t->bytes[i];
		void *ptr = realloc(t->block[i], bytes);

		note(t, "realloc", ptr, bytes);
		t->block[i] = ptr;
		check(t, i, old < bytes ? old : bytes);
		fill(t, i, ptr, bytes);
	}
}

static void *work(void *arg)
{
	struct thread *t = arg;

	t->tid = (int)syscall(SYS_gettid);
	errno = ERRNO;
	while (t->wanted ? t->nr_calls < t->wanted : !must_stop)
		step(t);
	for (int i = 0; i < BLOCKS; i++)
		if (t->block[i]) {
			free(t->block[i]);
			note(t, "free", t->block[i], 0);
		}
	return NULL;
}

static void start(int nr, int wanted)
{
	memset(threads, 0, THREADS_MAX * sizeof(*threads));
	must_stop = false;
	for (int i = 0; i < nr; i++) {
		threads[i].random = (uint64_t)i + 1;
		threads[i].wanted = wanted;
		if (pthread_create(&threads[i].id, NULL, work, &threads[i]))
			_exit(1);
	}
}

static void join(int nr)
{
	for (int i = 0; i < nr; i++)
		pthread_join(threads[i].id, NULL);
}

static void say(const char *text)
{
	if (write(1, text, strlen(text)) < 0)
		_exit(1);
}

static void print(int nr)
{
	uint64_t errors = 0, done = 0;
	char line[128];

	for (int i = 0; i < nr; i++) {
		errors += threads[i].errors;
		done += threads[i].done;
		for (int k = 0; k < threads[i].nr_calls; k++) {
			const struct call *call = &threads[i].calls[k];

			snprintf(line, sizeof(line), "%d %s 0x%lx %zu\n", threads[i].tid,
				 call->name, (unsigned long)call->ptr, call->bytes);
			say(line);
		}
	}
	snprintf(line, sizeof(line), "done %s errors %lu\n", done ? "some" : "none", errors);
	say(line);
}

/* ---- a mutex for which a thread must wait ---- */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int waiter_tid, round_nr;	/* @round_nr: the round that the waiter may begin */
static uint64_t wait_ns;		/* how long the waiter's last call has taken, at most */
static int round_done;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *wait_for_mutex(void *arg)
{
	int nr = *(int *)arg;

	waiter_tid = (int)syscall(SYS_gettid);
	for (int i = 1; i <= nr; i++) {
		uint64_t start;

		while (__atomic_load_n(&round_nr, __ATOMIC_ACQUIRE) < i)
			usleep(100);
		start = now_ns();
		pthread_mutex_lock(&mutex);
		wait_ns = now_ns() - start;
		pthread_mutex_unlock(&mutex);
		__atomic_store_n(&round_done, i, __ATOMIC_RELEASE);
	}
	return NULL;
}

/* Lock mutexes that no other thread has. */
static void lock_without_waiting(void)
{
	pthread_mutex_t recursive;
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&recursive, &attr);
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&mutex);
		pthread_mutex_unlock(&mutex);
		pthread_mutex_lock(&recursive);
		pthread_mutex_lock(&recursive);
		pthread_mutex_unlock(&recursive);
		pthread_mutex_unlock(&recursive);
	}
}

static void *wait_in_vain(void *arg)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	*(int *)arg = pthread_mutex_timedlock(&mutex, &until);
	return NULL;
}

static void contend(int nr)
{
	pthread_t id;
	char line[128];
	int r = 0;

	round_nr = round_done = 0;
	if (pthread_create(&id, NULL, wait_for_mutex, &nr))
		_exit(1);
	for (int i = 1; i <= nr; i++) {
		uint64_t blocked;

		pthread_mutex_lock(&mutex);
		__atomic_store_n(&round_nr, i, __ATOMIC_RELEASE);
		/* glibc sets the lock to 2 when a thread waits. */
		while (__atomic_load_n(&mutex.__data.__lock, __ATOMIC_RELAXED) != 2)
			usleep(100);
		blocked = now_ns();
		usleep(2000);
		blocked = now_ns() - blocked;
		pthread_mutex_unlock(&mutex);
		while (__atomic_load_n(&round_done, __ATOMIC_ACQUIRE) < i)
			usleep(100);
		snprintf(line, sizeof(line), "%d 0x%lx %d %lu %lu\n", waiter_tid,
			 (unsigned long)&mutex, (int)syscall(SYS_gettid), blocked, wait_ns);
		say(line);
	}
	pthread_join(id, NULL);
	lock_without_waiting();
	pthread_mutex_lock(&mutex);
	if (pthread_create(&id, NULL, wait_in_vain, &r))
		_exit(1);
	pthread_join(id, NULL);
	pthread_mutex_unlock(&mutex);
	snprintf(line, sizeof(line), "done %d\n", r);
	say(line);
}

/* ---- threads that unmap their own number ---- */

static int nr_left;

static void *unmap_number(void *number)
{
	munmap(number, 4096);
	__atomic_add_fetch(&nr_left, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void leave(int nr)
{
	pthread_attr_t attr;

	nr_left = 0;
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	for (int i = 1; i <= nr; i++) {
		void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pthread_t *number = page;

		if (page == MAP_FAILED || pthread_create(number, &attr, unmap_number, page))
			_exit(1);
		while (__atomic_load_n(&nr_left, __ATOMIC_ACQUIRE) < i)
			usleep(10);
	}
	say("done\n");
}

int main(void)
{
	char order[64];
	int nr = 0, wanted;
	ssize_t bytes;

	threads = mmap(NULL, THREADS_MAX * sizeof(*threads), PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (threads == MAP_FAILED)
		return 1;
	say("ready\n");
	while ((bytes = read(0, order, sizeof(order) - 1)) > 0) {
		order[bytes] = '\0';
		if (sscanf(order, "run %d %d", &nr, &wanted) == 2) {
			start(nr, wanted);
			join(nr);
			print(nr);
		} else if (sscanf(order, "storm %d", &nr) == 1) {
			start(nr, 0);
			say("storm\n");
		} else if (sscanf(order, "contend %d", &nr) == 1) {
			contend(nr);
		} else if (sscanf(order, "leave %d", &nr) == 1) {
			leave(nr);
		} else if (!strcmp(order, "stop\n")) {
			must_stop = true;
			join(nr);
			print(nr);
		}
	}
	return 0;
}
