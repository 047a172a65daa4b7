/* SPDX-License-Identifier: MIT */
/*
 * Each of ten thousand threads hits an event once.  All hits are recorded, with the right
 * thread ids, and libulf's memory does not grow.
 *
 * no-sanitize: thread it cannot see membarrier(), rseq and patched code
 */
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "lib/check.h"
#include "lib/trace.h"
#define CREATE_TRACE_POINTS
#include "rt_trace.h"

#define STARTERS	4
#define EACH		2500

static struct driver d;

static void *hit_once(void *arg)
{
	trace_rt_hit((int)(long)arg, gettid());
	return NULL;
}

static void *start_many(void *arg)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (int i = 0; i < EACH; i++) {
		CHECK_EQ(pthread_create(&thread, &attr, hit_once, arg), 0);
		CHECK_EQ(pthread_join(thread, NULL), 0);
	}
	pthread_attr_destroy(&attr);
	return NULL;
}

static long memory_kb(void)
{
	char line[256];
	long kb = 0;
	FILE *f = fopen("/proc/self/status", "re");

	CHECK(f);
	while (fgets(line, sizeof(line), f))
		sscanf(line, "RssAnon: %ld", &kb);
	fclose(f);
	CHECK(kb);
	return kb;
}

static void *churn(void *arg)
{
	pthread_t starters[STARTERS];

	for (long i = 0; i < STARTERS; i++)
		CHECK_EQ(pthread_create(&starters[i], NULL, start_many,
					(void *)i), 0);
	for (int i = 0; i < STARTERS; i++)
		CHECK_EQ(pthread_join(starters[i], NULL), 0);
	return arg;
}

static void count(uint32_t *by_starter)
{
	struct trace trace;

	trace_read(&d, &trace);
	CHECK_EQ(trace.lost, 0);
	for (size_t i = 0; i < trace.nr; i++) {
		const struct trace_record *r = &trace.records[i];

		CHECK_EQ(trace_number(&d, r, "value"), r->pid);
		by_starter[trace_number(&d, r, "who")]++;
	}
	trace_free(&trace);
}

int main(void)
{
	uint32_t by_starter[STARTERS] = { 0 };
	long before;

	trace_open(&d, getpid());
	CHECK_EQ(driver_enable(&d, "rt", "rt_hit", true), 0);
	churn(NULL);
	count(by_starter);
	before = memory_kb();
	churn(NULL);
	/* 10,000 slots of 64 bytes would be 640 KB. */
	CHECK(memory_kb() - before < 300);
	count(by_starter);
	for (int i = 0; i < STARTERS; i++)
		CHECK_EQ(by_starter[i], 2 * EACH);
	driver_close(&d);
	return 0;
}
