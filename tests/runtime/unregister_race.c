/* SPDX-License-Identifier: MIT */
/*
 * Probes are registered and unregistered while 4 threads hit the tracepoint.  A removed probe
 * is never called again after tracepoint_synchronize_unregister() has returned.  The test
 * then poisons the probe's data, and every call checks it.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <pthread.h>
#include <unistd.h>

#include "lib/check.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define THREADS	4
#define ROUNDS	1500
#define LIVE	0x11223344
#define POISON	0xdeaddead

struct subject {
	unsigned int state;
	unsigned long calls;
};

static struct subject subjects[ROUNDS][2];
static unsigned long bad_calls;
static bool is_over;

static void probe(void *data, int who, long value)
{
	struct subject *s = data;

	(void)who;
	(void)value;
	if (__atomic_load_n(&s->state, __ATOMIC_RELAXED) != LIVE)
		__atomic_fetch_add(&bad_calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&s->calls, 1, __ATOMIC_RELAXED);
	/* Wait, so that a call that came too early sees the poison. */
	for (int i = 0; i < 50; i++)
		__asm__ volatile("pause");
	if (__atomic_load_n(&s->state, __ATOMIC_RELAXED) != LIVE)
		__atomic_fetch_add(&bad_calls, 1, __ATOMIC_RELAXED);
}

static void *hammer(void *arg)
{
	for (long i = 0; !__atomic_load_n(&is_over, __ATOMIC_RELAXED); i++)
		trace_rt_hit((int)(long)arg, i);
	return NULL;
}

static void wait_for_call(const struct subject *s)
{
	while (!__atomic_load_n(&s->calls, __ATOMIC_RELAXED))
		sched_yield();
}

static void add(struct subject *s, int prio)
{
	s->state = LIVE;
	CHECK_EQ(register_trace_prio_rt_hit(probe, s, prio), 0);
}

int main(void)
{
	unsigned long calls[2];
	pthread_t threads[THREADS];

	for (long i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, hammer, (void *)i),
			 0);
	for (int i = 0; i < ROUNDS; i++) {
		struct subject *a = &subjects[i][0], *b = &subjects[i][1];

		add(a, 10);
		add(b, i % 2 ? 5 : 20);
		if (i % 8 == 0) {
			wait_for_call(a);
			wait_for_call(b);
		}
		CHECK_EQ(unregister_trace_rt_hit(probe, a), 0);
		if (i % 2)
			tracepoint_synchronize_unregister();
		CHECK_EQ(unregister_trace_rt_hit(probe, b), 0);
		tracepoint_synchronize_unregister();
		calls[0] = __atomic_load_n(&a->calls, __ATOMIC_RELAXED);
		calls[1] = __atomic_load_n(&b->calls, __ATOMIC_RELAXED);
		__atomic_store_n(&a->state, POISON, __ATOMIC_RELAXED);
		__atomic_store_n(&b->state, POISON, __ATOMIC_RELAXED);
		if (i % 64 == 0)
			usleep(200);
		CHECK_EQ(__atomic_load_n(&a->calls, __ATOMIC_RELAXED), calls[0]);
		CHECK_EQ(__atomic_load_n(&b->calls, __ATOMIC_RELAXED), calls[1]);
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
	CHECK_EQ(bad_calls, 0);
	return 0;
}
