/* SPDX-License-Identifier: MIT */
/*
 * While threads start and end all the time, threads_stop() stops all of them: nothing in the
 * process moves until threads_continue(), and everything moves afterwards.  Threads that were
 * asked to stay running do.  A process whose first thread has ended can be stopped, too.
 */
#include "child.h"

#define STARTERS	6
#define SPINNERS	2
#define STOPS		100
#define STOPS_LONG	3000

static struct shared {
	_Atomic uint64_t started[STARTERS];	/* threads that each starter has started */
	_Atomic uint64_t turns[SPINNERS];
	_Atomic uint64_t alone;			/* turns of the thread that stays running */
	_Atomic uint64_t bad;			/* calls that failed */
	_Atomic pid_t alone_tid;
} *shared;

static void *count_one(void *arg)
{
	atomic_fetch_add((_Atomic uint64_t *)arg, 1);
	return NULL;
}

static void *start_threads(void *arg)
{
	pthread_t thread;

	for (;;) {
		if (pthread_create(&thread, NULL, count_one, arg) || pthread_join(thread, NULL))
			atomic_fetch_add(&shared->bad, 1);
	}
	return NULL;
}

static void *spin(void *arg)
{
	for (;;)
		atomic_fetch_add((_Atomic uint64_t *)arg, 1);
	return NULL;
}

static void *turn_alone(void *arg)
{
	atomic_store(&shared->alone_tid, gettid());
	for (;;) {
		atomic_fetch_add(&shared->alone, 1);
		usleep(100);
	}
	return arg;
}

/* The first thread ends before the others. */
static void run_target(void *arg)
{
	pthread_t thread;

	(void)arg;
	for (int i = 0; i < STARTERS; i++)
		CHECK_EQ(pthread_create(&thread, NULL, start_threads, &shared->started[i]), 0);
	for (int i = 0; i < SPINNERS; i++)
		CHECK_EQ(pthread_create(&thread, NULL, spin, &shared->turns[i]), 0);
	CHECK_EQ(pthread_create(&thread, NULL, turn_alone, NULL), 0);
	pthread_exit(NULL);
}

/* Returns the number of threads that are stopped; each thread must be, or must be @running. */
static size_t check_all_stopped(pid_t pid, pid_t running)
{
	struct task_list list = { 0 };
	size_t nr = 0;

	CHECK_EQ(tasks_read(pid, &list), 0);
	for (size_t i = 0; i < list.nr; i++) {
		struct task_stat stat = task_stat_read(pid, list.tids[i]);

		if (list.tids[i] == running || task_has_ended(stat))
			continue;
		if (stat.state != 't')
			fail("thread %d is in state %c", list.tids[i], stat.state);
		nr++;
	}
	tasks_done(&list);
	return nr;
}

static uint64_t sum(void)
{
	uint64_t all = 0;

	for (int i = 0; i < STARTERS; i++)
		all += atomic_load(&shared->started[i]);
	for (int i = 0; i < SPINNERS; i++)
		all += atomic_load(&shared->turns[i]);
	return all;
}

static void stop_once(pid_t pid, bool leaves_one)
{
	pid_t running = leaves_one ? atomic_load(&shared->alone_tid) : 0;
	const struct stop_request request = { .running = &running, .nr_running = leaves_one,
					      .timeout_ms = 60000 };
	struct stopped *stopped;
	uint64_t before, alone;

	CHECK_EQ(threads_stop(pid, &request, &stopped, NULL), 0);
	before = sum();
	alone = atomic_load(&shared->alone);
	CHECK_EQ(check_all_stopped(pid, running), threads_nr(stopped));
	if (leaves_one)
		wait_for(&shared->alone, alone + 3);
	else
		CHECK_EQ(atomic_load(&shared->alone), alone);
	CHECK_EQ(sum(), before);
	threads_continue(stopped);
	for (int i = 0; i < STARTERS; i++)
		wait_for(&shared->started[i], atomic_load(&shared->started[i]) + 1);
	for (int i = 0; i < SPINNERS; i++)
		wait_for(&shared->turns[i], atomic_load(&shared->turns[i]) + 1);
	wait_for(&shared->alone, alone + 1);
}

int main(void)
{
	int stops = getenv("ULF_TORTURE") ? STOPS_LONG : STOPS;
	uint64_t started = 0;
	pid_t pid;

	shared = map_shared(sizeof(*shared));
	pid = target_start(run_target, NULL);
	while (!atomic_load(&shared->alone_tid))
		sleep_ms(1);
	wait_for_state(pid, pid, "Z");
	for (int i = 0; i < stops; i++)
		stop_once(pid, i % 2);
	for (int i = 0; i < STARTERS; i++)
		started += atomic_load(&shared->started[i]);
	CHECK_EQ(atomic_load(&shared->bad), 0);
	target_kill(pid);
	printf("score: %d stops, %llu threads came and went\n", stops, (unsigned long long)started);
	return 0;
}
