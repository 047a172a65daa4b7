/* SPDX-License-Identifier: MIT */
/*
 * A writing process of the torture.  It has threads, some bound to a CPU and some free, which
 * fork from time to time.  Each thread has a timer whose handler writes, too.  The process
 * may be killed at any time.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/torture.h"

#define CONTEXTS_SPARE		1000	/* no more children if fewer contexts are left */
#define CHILD_RECORDS		100

/* Returns whether a child of vfork() may call vfork().  ASan's vfork() remembers only one
 * return address. */
#ifdef __SANITIZE_ADDRESS__
#define CAN_NEST	false
#else
#define CAN_NEST	true
#endif

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id	_sigev_un._tid
#endif

struct source {
	struct torture *t;
	struct torture_context *context;
	const struct ring_set *set;
	bool is_slow;			/* does not use rseq */
	uint64_t random;
};

struct thread {
	struct torture *t;
	uint32_t index;
	uint64_t seed;
	bool is_slow;			/* does not use rseq */
};

/* The context in which the handler on this thread writes. */
static __thread struct source *handler_source;

static int source_init(struct source *s, struct torture *t, uint64_t seed,
		       bool is_slow)
{
	uint32_t number = __atomic_fetch_add(&t->shared->nr_contexts, 1,
					     __ATOMIC_RELAXED);

	if (number >= RECORD_WRITERS) {
		torture_fail(t, "no context is left");
		return -ENOSPC;
	}
	*s = (struct source){
		.t = t,
		.context = &t->shared->contexts[number],
		.set = is_slow ? t->slow_set : t->set,
		.is_slow = is_slow,
		.random = seed * 1000003 + number,
	};
	s->context->home = -1;
	return 0;
}

static void count(uint64_t *word)
{
	__atomic_store_n(word, *word + 1, __ATOMIC_RELAXED);
}

/* Write one record, and count its result in the context. */
static int write_one(struct source *s)
{
	struct torture_context *c = s->context;
	struct record_id id = {
		.writer = (uint32_t)(c - s->t->shared->contexts),
		.seq = (uint32_t)c->written,
	};
	int r;

	__atomic_store_n(&c->is_trying, 1, __ATOMIC_RELEASE);
	r = s->t->ops->write(s->t, s->set, id);
	if (!r)
		count(&c->written);
	else if (r == -ENOBUFS)
		count(&c->refused);
	else if (r == -EBUSY)
		count(&c->busy);
	else if (r == -ECANCELED)
		count(&c->cancelled);
	else
		__atomic_add_fetch(&s->t->shared->failures, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&c->is_trying, 0, __ATOMIC_RELEASE);
	return r;
}

static bool is_resting(const struct torture *t)
{
	return __atomic_load_n(&t->shared->pause, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&t->shared->stop, __ATOMIC_RELAXED);
}

static void on_timer(int signal)
{
	struct source *s = handler_source;
	int saved = errno;

	(void)signal;
	for (uint32_t i = 0; s && !is_resting(s->t) && i < 3; i++) {
		if (write_one(s) || random_below(&s->random, 2))
			break;
	}
	errno = saved;
}

static void start_timer(struct torture *t, uint64_t *random)
{
	struct sigevent event = {
		.sigev_notify = SIGEV_THREAD_ID,
		.sigev_signo = SIGUSR1,
		.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid),
	};
	long ns = 70000 + (long)random_below(random, 80000);
	struct itimerspec every = { { 0, ns }, { 0, ns } };
	timer_t timer;

	if (timer_create(CLOCK_MONOTONIC, &event, &timer) ||
	    timer_settime(timer, 0, &every, NULL))
		torture_fail(t, "no timer: errno %d", errno);
}

/* Write records in a child.  The child has only this thread, and its rseq area is still
 * valid. */
static void write_from_child(struct source *parent)
{
	struct torture *t = parent->t;
	struct source s;
	int status = 0;
	pid_t pid;

	if (__atomic_load_n(&t->shared->nr_contexts, __ATOMIC_RELAXED) >
	    RECORD_WRITERS - CONTEXTS_SPARE)
		return;
	pid = fork();
	if (pid > 0) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (status)
			torture_fail(t, "a child ended with %#x", status);
		__atomic_add_fetch(&t->shared->forks, 1, __ATOMIC_RELAXED);
	}
	if (pid)
		return;
	handler_source = NULL;
	if (source_init(&s, t, parent->random, parent->is_slow))
		_exit(1);
	for (uint32_t i = 0; i < CHILD_RECORDS && !is_resting(t); i++)
		write_one(&s);
	s.context->is_done = 1;
	_exit(0);
}

/* Let the kernel kill this process soon, at any instruction. */
static void die_soon(uint64_t *random)
{
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGKILL };
	struct itimerspec at = { .it_value.tv_nsec = 1 + random_below(random, 300000) };
	int timer;

	syscall(SYS_timer_create, CLOCK_MONOTONIC, &event, &timer);
	syscall(SYS_timer_settime, timer, 0, &at, NULL);
}

static void move_to(uint32_t cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* The child of vfork() uses the memory of its parent, which waits.  It is a task of its own:
 * it runs on other CPUs, and its only timer is the one that kills it.  A child that has a
 * child itself is not killed, because parent and child would then run on one stack. */
__attribute__((noreturn)) static void be_vforked(const struct source *parent, bool has_child)
{
	struct torture *t = parent->t;
	struct source s;

	if (source_init(&s, t, parent->random, parent->is_slow))
		_exit(1);
	if (!has_child && random_below(&s.random, 2))
		die_soon(&s.random);
	for (uint32_t i = 0; i < CHILD_RECORDS && !is_resting(t); i++) {
		if (i % 10 == 0)
			move_to(random_below(&s.random, t->nr_cpus));
		write_one(&s);
		if (i == CHILD_RECORDS / 2 && has_child && !vfork())
			be_vforked(&s, false);
	}
	s.context->is_done = 1;
	_exit(0);
}

static void write_from_vforked(const struct source *s)
{
	struct torture *t = s->t;
	int status = 0;
	pid_t pid;

	if (__atomic_load_n(&t->shared->nr_contexts, __ATOMIC_RELAXED) >
	    RECORD_WRITERS - CONTEXTS_SPARE)
		return;
	pid = vfork();
	if (!pid)
		be_vforked(s, CAN_NEST && s->random & 1);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status && status != SIGKILL)
		torture_fail(t, "a child of vfork() ended with %#x", status);
	__atomic_add_fetch(&t->shared->vforks, 1, __ATOMIC_RELAXED);
}

static void bind_to(struct source *s, struct source *handler, uint32_t cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return;		/* this CPU is not allowed: stay free */
	s->context->home = (int32_t)(2 * cpu + s->is_slow);
	handler->context->home = s->context->home;
}

static void between_records(struct source *s)
{
	uint32_t choice = random_below(&s->random, 20000);
	struct timespec pause = { 0, 0 };

	if (choice < 40) {
		sched_yield();
	} else if (choice < 60) {
		pause.tv_nsec = (long)random_below(&s->random, 300000);
		nanosleep(&pause, NULL);
	} else if (choice < 61) {
		write_from_child(s);
	} else if (choice < 81 && s->t->config->path == TORTURE_VFORK) {
		write_from_vforked(s);
	}
}

static void *write_until_stopped(void *arg)
{
	struct timespec rest = { 0, 1000000 };
	struct thread *thread = arg;
	struct torture *t = thread->t;
	struct source s, handler;
	sigset_t timer;
	char name[16];

	snprintf(name, sizeof(name), "torture-%u", thread->index);
	prctl(PR_SET_NAME, name);
	if (source_init(&s, t, thread->seed, thread->is_slow) ||
	    source_init(&handler, t, thread->seed + 1, thread->is_slow))
		return NULL;
	if (thread->index % 2)
		bind_to(&s, &handler, thread->index / 2 % t->nr_cpus);
	handler_source = &handler;
	start_timer(t, &s.random);
	while (!__atomic_load_n(&t->shared->stop, __ATOMIC_RELAXED)) {
		if (is_resting(t))
			nanosleep(&rest, NULL);
		else if (write_one(&s) == -ENOBUFS)
			sched_yield();
		between_records(&s);
	}
	/* After this the handler does not run any more, so its context can end. */
	sigemptyset(&timer);
	sigaddset(&timer, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &timer, NULL);
	handler_source = NULL;
	s.context->is_done = 1;
	handler.context->is_done = 1;
	return NULL;
}

void torture_writer(struct torture *t, uint32_t nr_threads, uint64_t seed)
{
	struct sigaction action = { .sa_handler = on_timer,
				    .sa_flags = SA_RESTART };
	struct thread *threads = calloc(nr_threads, sizeof(*threads));
	pthread_t *ids = calloc(nr_threads, sizeof(*ids));

	if (!threads || !ids)
		_exit(1);
	sigaction(SIGUSR1, &action, NULL);
	for (uint32_t i = 0; i < nr_threads; i++) {
		threads[i] = (struct thread){
			.t = t,
			.index = i,
			.seed = seed + 2 * i,
			.is_slow = t->config->path == TORTURE_NO_RSEQ ||
				   (t->config->path == TORTURE_MIXED &&
				    i % 3 == 0),
		};
		if (pthread_create(&ids[i], NULL, write_until_stopped,
				   &threads[i]))
			_exit(1);
	}
	for (uint32_t i = 0; i < nr_threads; i++)
		pthread_join(ids[i], NULL);
	_exit(0);
}
