/* SPDX-License-Identifier: MIT */
/*
 * A program for the tests of ulf_libc, which is not linked with libulf.  It keeps a list of its own
 * calls of malloc(), free(), ... and their results, so it is the witness of the events.
 *
 *	run THREADS N	each thread makes N calls; then a line for each of them says its thread,
 *			function, result and size
 *	storm THREADS	the threads make calls until `stop', which prints the number of errors
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
		} else if (!strcmp(order, "stop\n")) {
			must_stop = true;
			join(nr);
			print(nr);
		}
	}
	return 0;
}
