/* SPDX-License-Identifier: MIT */
/*
 * Probes on tracepoints: order, data, errors, contexts.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/check.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

/* ---- the calls of probes and their order ---- */

static char order[64];

static void note(void *data, int who, long value)
{
	size_t len = strlen(order);

	CHECK_EQ(who, 3);
	CHECK_EQ(value, -4);
	order[len] = *(const char *)data;
	order[len + 1] = '\0';
}

static void note_again(void *data, int who, long value)
{
	note(data, who, value);
}

static const char *hit(void)
{
	order[0] = '\0';
	trace_rt_hit(3, -4);
	return order;
}

static void test_order(void)
{
	CHECK_STR(hit(), "");
	CHECK(!trace_rt_hit_enabled());
	CHECK_EQ(register_trace_rt_hit(note, "a"), 0);
	CHECK(trace_rt_hit_enabled());
	CHECK(!trace_rt_other_enabled());
	CHECK_STR(hit(), "a");
	CHECK_EQ(register_trace_prio_rt_hit(note, "b", 20), 0);
	CHECK_EQ(register_trace_prio_rt_hit(note, "c", 0), 0);
	CHECK_EQ(register_trace_prio_rt_hit(note_again, "d",
					    TRACEPOINT_DEFAULT_PRIO), 0);
	CHECK_EQ(register_trace_prio_rt_hit(note, "e", -5), 0);
	CHECK_STR(hit(), "badce");
	CHECK_EQ(unregister_trace_rt_hit(note, "a"), 0);
	CHECK_STR(hit(), "bdce");
	CHECK_EQ(unregister_trace_rt_hit(note, "e"), 0);
	CHECK_EQ(unregister_trace_rt_hit(note, "b"), 0);
	CHECK_STR(hit(), "dc");
	CHECK_EQ(unregister_trace_rt_hit(note, "c"), 0);
	CHECK_EQ(unregister_trace_rt_hit(note_again, "d"), 0);
	CHECK_STR(hit(), "");
	CHECK(!trace_rt_hit_enabled());
}

static void test_errors(void)
{
	CHECK_EQ(unregister_trace_rt_hit(note, "a"), -ENOENT);
	CHECK_EQ(register_trace_rt_hit(NULL, "a"), -EINVAL);
	CHECK(!trace_rt_hit_enabled());
	CHECK_EQ(register_trace_rt_hit(note, order), 0);
	CHECK_EQ(register_trace_rt_hit(note, order), -EEXIST);
	CHECK_EQ(register_trace_prio_rt_hit(note, order, 99), -EEXIST);
	CHECK_EQ(unregister_trace_rt_hit(note_again, order), -ENOENT);
	CHECK_EQ(unregister_trace_rt_hit(note, order + 1), -ENOENT);
	CHECK_EQ(unregister_trace_rt_other(note, order), -ENOENT);
	CHECK(trace_rt_hit_enabled());
	CHECK_EQ(unregister_trace_rt_hit(note, order), 0);
	CHECK_EQ(unregister_trace_rt_hit(note, order), -ENOENT);
	CHECK(!trace_rt_hit_enabled());
}

/* ---- the list of tracepoints ---- */

struct walk {
	int nr_hit, nr_other, nr_long;
	struct tracepoint *hit;
};

static void look(struct tracepoint *tp, void *priv)
{
	struct walk *walk = priv;

	walk->nr_hit += !strcmp(tp->name, "rt_hit");
	walk->nr_other += !strcmp(tp->name, "rt_other");
	walk->nr_long += !strcmp(tp->name, "rt_long");
	if (!strcmp(tp->name, "rt_hit"))
		walk->hit = tp;
}

static void put_probe(struct tracepoint *tp, void *priv)
{
	if (!strcmp(tp->name, "rt_hit"))
		CHECK_EQ(tracepoint_probe_register(tp, priv, "w"), 0);
}

static void test_walk(void)
{
	struct walk walk = { 0 };

	for_each_kernel_tracepoint(look, &walk);
	CHECK_EQ(walk.nr_hit, 1);
	CHECK_EQ(walk.nr_other, 1);
	CHECK_EQ(walk.nr_long, 1);
	CHECK_EQ(tracepoint_probe_register_prio(walk.hit, (void *)note, "y", 1),
		 0);
	for_each_kernel_tracepoint(put_probe, (void *)note);
	CHECK_STR(hit(), "wy");
	CHECK_EQ(tracepoint_probe_unregister(walk.hit, (void *)note, "y"), 0);
	CHECK_EQ(unregister_trace_rt_hit(note, "w"), 0);
	CHECK_STR(hit(), "");
}

/* ---- contexts ---- */

static pid_t probe_tid;
static volatile int nr_calls;		/* incremented in signal handlers, too */

static void remember_thread(void *data, int who, long value)
{
	(void)data;
	(void)who;
	(void)value;
	probe_tid = gettid();
	nr_calls++;
}

static void *hit_in_thread(void *arg)
{
	trace_rt_hit(0, 0);
	*(pid_t *)arg = gettid();
	return NULL;
}

static void test_thread(void)
{
	pthread_t thread;
	pid_t tid = 0;

	CHECK_EQ(register_trace_rt_hit(remember_thread, NULL), 0);
	CHECK_EQ(pthread_create(&thread, NULL, hit_in_thread, &tid), 0);
	CHECK_EQ(pthread_join(thread, NULL), 0);
	CHECK_EQ(probe_tid, tid);
	trace_rt_hit(0, 0);
	CHECK_EQ(probe_tid, gettid());
	CHECK_EQ(unregister_trace_rt_hit(remember_thread, NULL), 0);
}

static volatile int depth, deepest;

/* A signal interrupts the probe, and its handler calls the probe again. */
static void interrupted(void *data, int who, long value)
{
	(void)data;
	(void)value;
	nr_calls++;
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (who > 0)
		raise(SIGUSR1);
	depth--;
}

static void on_signal(int sig)
{
	(void)sig;
	trace_rt_hit(0, 0);
}

static void test_signal_handler(void)
{
	CHECK(signal(SIGUSR1, on_signal) != SIG_ERR);
	CHECK_EQ(register_trace_rt_hit(interrupted, NULL), 0);
	nr_calls = 0;
	raise(SIGUSR1);
	CHECK_EQ(nr_calls, 1);
	CHECK_EQ(deepest, 1);
	trace_rt_hit(1, 0);
	CHECK_EQ(nr_calls, 3);
	CHECK_EQ(deepest, 2);
	CHECK_EQ(unregister_trace_rt_hit(interrupted, NULL), 0);
	/* No thread counts as inside a probe, so this returns. */
	tracepoint_synchronize_unregister();
	raise(SIGUSR1);
	CHECK_EQ(nr_calls, 3);
}

static void test_fork(void)
{
	int status;
	pid_t pid;

	CHECK_EQ(register_trace_rt_hit(remember_thread, NULL), 0);
	nr_calls = 0;
	pid = fork();
	CHECK(pid >= 0);
	if (!pid) {
		trace_rt_hit(0, 0);
		CHECK_EQ(nr_calls, 1);
		CHECK_EQ(probe_tid, getpid());
		CHECK_EQ(unregister_trace_rt_hit(remember_thread, NULL), 0);
		tracepoint_synchronize_unregister();
		trace_rt_hit(0, 0);
		CHECK_EQ(nr_calls, 1);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(nr_calls, 0);
	trace_rt_hit(0, 0);
	CHECK_EQ(nr_calls, 1);
	CHECK_EQ(unregister_trace_rt_hit(remember_thread, NULL), 0);
}

/* A probe that unregisters itself, and one that hits another tracepoint. */
static void remove_itself(void *data, int who, long value)
{
	(void)who;
	(void)value;
	nr_calls++;
	CHECK_EQ(unregister_trace_rt_hit(remove_itself, data), 0);
}

static void hit_other(void *data, int who, long value)
{
	(void)data;
	trace_rt_other(who, value);
}

static void test_probes_that_trace(void)
{
	nr_calls = 0;
	CHECK_EQ(register_trace_rt_hit(remove_itself, NULL), 0);
	trace_rt_hit(0, 0);
	trace_rt_hit(0, 0);
	CHECK_EQ(nr_calls, 1);
	CHECK_EQ(register_trace_rt_other(note, "o"), 0);
	CHECK_EQ(register_trace_rt_hit(hit_other, NULL), 0);
	CHECK_STR(hit(), "o");
	CHECK_EQ(unregister_trace_rt_hit(hit_other, NULL), 0);
	CHECK_EQ(unregister_trace_rt_other(note, "o"), 0);
	tracepoint_synchronize_unregister();
}

/* ---- synchronize waits for a running probe ---- */

static sem_t entered, may_leave;
static bool is_synchronized;

static void stay(void *data, int who, long value)
{
	(void)data;
	(void)who;
	(void)value;
	sem_post(&entered);
	while (sem_wait(&may_leave))
		;
}

static void *synchronize(void *arg)
{
	tracepoint_synchronize_unregister();
	__atomic_store_n(&is_synchronized, true, __ATOMIC_SEQ_CST);
	return arg;
}

static void test_synchronize(void)
{
	pthread_t hitter, waiter;
	pid_t tid;

	CHECK_EQ(register_trace_rt_hit(stay, NULL), 0);
	CHECK_EQ(pthread_create(&hitter, NULL, hit_in_thread, &tid), 0);
	while (sem_wait(&entered))
		;
	CHECK_EQ(unregister_trace_rt_hit(stay, NULL), 0);
	CHECK_EQ(pthread_create(&waiter, NULL, synchronize, NULL), 0);
	/* After any delay, synchronize must not have returned. */
	usleep(20000);
	CHECK(!__atomic_load_n(&is_synchronized, __ATOMIC_SEQ_CST));
	sem_post(&may_leave);
	CHECK_EQ(pthread_join(waiter, NULL), 0);
	CHECK_EQ(pthread_join(hitter, NULL), 0);
}

/* ---- a probe left by a jump: synchronize must not wait for its own thread ---- */

static jmp_buf back;

static void jump(void *data, int who, long value)
{
	(void)data;
	(void)who;
	(void)value;
	longjmp(back, 1);
}

static void test_jump(void)
{
	CHECK_EQ(register_trace_rt_hit(jump, NULL), 0);
	if (!setjmp(back))
		trace_rt_hit(0, 0);
	CHECK_EQ(unregister_trace_rt_hit(jump, NULL), 0);
	tracepoint_synchronize_unregister();
}

int main(void)
{
	sem_init(&entered, 0, 0);
	sem_init(&may_leave, 0, 0);
	test_order();
	test_errors();
	test_walk();
	test_thread();
	test_signal_handler();
	test_fork();
	test_probes_that_trace();
	test_synchronize();
	test_jump();
	return 0;
}
