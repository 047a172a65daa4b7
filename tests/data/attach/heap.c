/* SPDX-License-Identifier: MIT */
/*
 * A program that allocates memory in 32 threads and checks itself, while libulf is loaded into
 * it and its functions, and those of libc, are switched.
 *
 * Each thread fills what it allocates with a pattern of its own, and checks it before it frees
 * or changes the size.  Some blocks are handed to other threads, which check and free them.  Four
 * of the threads wait in calls that the kernel does not restart by itself, and count EINTR.
 *
 *	heap [PAUSE_US]		ends at SIGTERM; prints `R rounds, W wrong, I interrupted'; status 1
 *				if W or I is not 0.  Each thread pauses for PAUSE_US after some
 *				rounds, so that other processes get CPU time, too
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ipc.h>
#include <sys/sem.h>
#include <time.h>
#include <unistd.h>

#define NOINLINE	__attribute__((noinline, noclone))
#define THREADS		32
#define WAITERS		4
#define BLOCKS		48
#define SLOTS		64
#define ERRNO		77
#define ROUNDS		200	/* rounds between two pauses */

struct block {
	uint32_t bytes;
	uint32_t seed;
	unsigned char data[];
};

static useconds_t pause_us;
static atomic_int is_over;
static atomic_long nr_rounds, nr_wrong, nr_interrupted;

/* Count a wrong result, and print it. */
static void check(int is_right, const char *what, long got)
{
	if (is_right)
		return;
	nr_wrong++;
	dprintf(STDOUT_FILENO, "wrong: %s: %ld\n", what, got);
}

static _Atomic(struct block *) handed[SLOTS];

NOINLINE uint32_t heap_random(uint32_t *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 8;
}

/* Sizes of all kinds: bins, arenas, and blocks that malloc() maps. */
NOINLINE uint32_t heap_size(uint32_t *state)
{
	uint32_t kind = heap_random(state) % 64;

	if (kind == 0)
		return 130000 + heap_random(state) % 100000;
	return heap_random(state) % (kind < 8 ? 20000 : 400);
}

NOINLINE void heap_fill(struct block *block, uint32_t bytes, uint32_t seed)
{
	block->bytes = bytes;
	block->seed = seed;
	memset(block->data, (int)(seed & 0xff), bytes);
}

NOINLINE void heap_check(const struct block *block)
{
	for (uint32_t i = 0; i < block->bytes; i += i < 64 ? 1 : 61)
		if (block->data[i] != (block->seed & 0xff)) {
			check(0, "a byte of a block", i);
			return;
		}
}

NOINLINE struct block *heap_new(uint32_t *state)
{
	uint32_t bytes = heap_size(state), seed = heap_random(state);
	struct block *block;

	switch (seed % 4) {
	case 0:
		block = calloc(1, sizeof(*block) + bytes);
		for (uint32_t i = 0; block && i < bytes; i += 31)
			check(!block->data[i], "calloc()", i);
		break;
	case 1:
		block = aligned_alloc(64, (sizeof(*block) + bytes + 63) / 64 * 64);
		check((uintptr_t)block % 64 == 0, "aligned_alloc()", (long)block);
		break;
	default:
		block = malloc(sizeof(*block) + bytes);
	}
	if (!block)
		abort();
	heap_fill(block, bytes, seed);
	return block;
}

NOINLINE struct block *heap_resize(struct block *block, uint32_t *state)
{
	uint32_t bytes = heap_size(state), seed = block->seed;

	heap_check(block);
	block = realloc(block, sizeof(*block) + bytes);
	if (!block)
		abort();
	if (bytes < block->bytes)
		block->bytes = bytes;
	heap_check(block);
	heap_fill(block, bytes, seed);
	return block;
}

NOINLINE void heap_free(struct block *block)
{
	if (!block)
		return;
	heap_check(block);
	free(block);
}

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Functions of libc that have nothing to do with the heap, or use it inside. */
NOINLINE void heap_text(uint32_t *state)
{
	uint32_t numbers[16], sum = 0;
	char text[200], *copy, *end;

	for (int i = 0; i < 16; i++)
		sum += numbers[i] = heap_random(state);
	qsort(numbers, 16, sizeof(numbers[0]), compare);
	for (int i = 0; i < 16; i++) {
		sum -= numbers[i];
		check(!i || numbers[i - 1] <= numbers[i], "qsort()", i);
	}
	check(!sum, "the sum", sum);
	snprintf(text, sizeof(text), "%u of %s", numbers[3], "sixteen");
	copy = strdup(text);
	check(copy && strtoul(copy, &end, 10) == numbers[3] && !strcmp(end, " of sixteen"),
	      "snprintf()", numbers[3]);
	free(copy);
}

NOINLINE void heap_round(struct block **blocks, uint32_t *state)
{
	uint32_t at = heap_random(state) % BLOCKS, kind = heap_random(state) % 8;

	errno = ERRNO;
	if (kind == 0) {
		blocks[at] = atomic_exchange(&handed[heap_random(state) % SLOTS], blocks[at]);
	} else if (kind < 4 && blocks[at]) {
		blocks[at] = heap_resize(blocks[at], state);
	} else {
		heap_free(blocks[at]);
		blocks[at] = heap_new(state);
	}
	if (kind == 7)
		heap_text(state);
	check(errno == ERRNO, "errno", errno);
	nr_rounds++;
}

static void *work(void *arg)
{
	uint32_t state = (uint32_t)(uintptr_t)arg * 7919 + 1;
	struct block *blocks[BLOCKS] = { NULL };
	uint32_t round = 0;

	while (!is_over) {
		heap_round(blocks, &state);
		if (pause_us && !(++round % ROUNDS))
			usleep(pause_us);
	}
	for (int i = 0; i < BLOCKS; i++)
		heap_free(blocks[i]);
	return NULL;
}

/* ---- calls that the kernel does not restart ---- */

static void wait_epoll(int fd)
{
	struct epoll_event event;

	if (epoll_wait(fd, &event, 1, 50) < 0)
		nr_interrupted++;
}

static void wait_signal(int unused)
{
	const struct timespec wait = { 0, 50000000 };
	sigset_t set;

	(void)unused;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	if (sigtimedwait(&set, NULL, &wait) < 0 && errno != EAGAIN)
		nr_interrupted++;
}

static void wait_semaphore(int semaphore)
{
	const struct timespec wait = { 0, 50000000 };
	struct sembuf take = { .sem_op = -1 };

	if (semtimedop(semaphore, &take, 1, &wait) < 0 && errno != EAGAIN)
		nr_interrupted++;
}

static void wait_nanosleep(int unused)
{
	const struct timespec wait = { 0, 50000000 };

	(void)unused;
	if (nanosleep(&wait, NULL))
		nr_interrupted++;
}

struct waiter {
	void (*wait)(int id);
	int id;
};

static void *wait_long(void *arg)
{
	const struct waiter *waiter = arg;

	while (!is_over)
		waiter->wait(waiter->id);
	return NULL;
}

int main(int argc, char **argv)
{
	int semaphore = semget(IPC_PRIVATE, 1, 0600);
	struct waiter waiters[WAITERS] = {
		{ wait_epoll, epoll_create1(EPOLL_CLOEXEC) },
		{ wait_signal, 0 },
		{ semaphore < 0 ? wait_nanosleep : wait_semaphore, semaphore },
		{ wait_nanosleep, 0 },
	};
	pthread_t threads[THREADS];
	sigset_t end;
	int signo;

	pause_us = argc > 1 ? (useconds_t)atoi(argv[1]) : 0;
	/* All threads block the signal that ends the program, so that it interrupts none. */
	sigemptyset(&end);
	sigaddset(&end, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &end, NULL);
	for (int i = 0; i < THREADS; i++)
		if (i < WAITERS)
			pthread_create(&threads[i], NULL, wait_long, &waiters[i]);
		else
			pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)i);
	puts("ready");
	fflush(stdout);
	sigwait(&end, &signo);
	is_over = 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < SLOTS; i++)
		heap_free(handed[i]);
	if (semaphore >= 0)
		semctl(semaphore, 0, IPC_RMID);
	printf("%ld rounds, %ld wrong, %ld interrupted\n", nr_rounds, nr_wrong, nr_interrupted);
	return nr_wrong || nr_interrupted;
}
