/* SPDX-License-Identifier: MIT */
/*
 * Worker that measures the cost of an event of ulf, off and on, from 1, 2 and 4 threads, and
 * of its histograms.  For comparison it measures an empty loop, a clock read and the limit
 * loop in the same process.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include <ulf/tracing.h>

#include "limit.h"
#include "measure.h"
#include "root.h"
#include "worker.h"

#define CREATE_TRACE_POINTS
#include "bench_trace.h"

#define MAX_THREADS 4

static const char text[16] = "0123456789abcde";

static cpu_set_t allowed;
static double tsc_ghz;
static struct limit_ring *limit_rings;
static double slices[MAX_THREADS][MEASURE_SLICES];
static pthread_barrier_t start;

static void write_event_file(const char *event, const char *file, const char *value)
{
	char path[64];

	snprintf(path, sizeof(path), "events/bench/%s/%s", event, file);
	root_write(path, value);
}

static void switch_event(const char *event, const char *value)
{
	write_event_file(event, "enable", value);
}

static void report_slices(const char *name)
{
	worker_result(name, measure_ns(slices[0], MEASURE_SLICES, tsc_ghz));
}

static void *thread_main(void *arg)
{
	int number = (int)(intptr_t)arg;

	measure_pin(&allowed, number);
	pthread_barrier_wait(&start);
	MEASURE(slices[number], trace_bench_event((int)i & 15, ~i, text));
	return NULL;
}

/* Measure from @nr threads.  The result is one median of all slices of all threads: the ns
 * that an event costs its thread while the other threads hit the event, too. */
static void measure_on_from_threads(const char *name, int nr)
{
	pthread_t threads[MAX_THREADS];

	pthread_barrier_init(&start, NULL, nr);
	for (int k = 0; k < nr; k++)
		if (pthread_create(&threads[k], NULL, thread_main,
				   (void *)(intptr_t)k))
			worker_fail("pthread_create failed");
	for (int k = 0; k < nr; k++)
		pthread_join(threads[k], NULL);
	pthread_barrier_destroy(&start);
	worker_result(name, measure_ns(slices[0], nr * MEASURE_SLICES, tsc_ghz));
}

static void measure_round_off(void)
{
	uint64_t common = (uint64_t)getpid() << 32 | 7;

	MEASURE(slices[0], (void)0);
	report_slices("empty_loop");
	MEASURE(slices[0], (void)__rdtsc());
	report_slices("clock");
	MEASURE(slices[0], limit_write(limit_rings, common, (int)i, ~i, text));
	report_slices("limit");
	if (trace_bench_event_enabled())
		worker_fail("bench_event is on before it was switched on");
	MEASURE(slices[0], trace_bench_event((int)i, ~i, text));
	report_slices("event_off");
}

static void measure_round_on(void)
{
	switch_event("bench_event", "1");
	switch_event("bench_string", "1");
	if (!trace_bench_event_enabled() || !trace_bench_string_enabled())
		worker_fail("the events are off after they were switched on");
	MEASURE(slices[0], trace_bench_event((int)i, ~i, text));
	report_slices("event_on");
	/* The first term of each of these filters is true. */
	write_event_file("bench_event", "filter", "i >= 0 && u == 1");
	MEASURE(slices[0], trace_bench_event((int)i, ~i, text));
	report_slices("filter_reject");
	write_event_file("bench_event", "filter", "i >= 0 && u != 1");
	MEASURE(slices[0], trace_bench_event((int)i, ~i, text));
	report_slices("filter_accept");
	write_event_file("bench_event", "filter", "0");
	MEASURE(slices[0], trace_bench_string((int)i, ~i, text));
	report_slices("string_on");
	MEASURE(slices[0], trace_printk("%d %lu\n", (int)i, ~i));
	report_slices("printk_on");
	MEASURE(slices[0], trace_printk("%d %s\n", (int)i, text));
	report_slices("printk_str");
	MEASURE(slices[0], trace_puts("a text\n"));
	report_slices("puts_on");
	tracing_off();
	MEASURE(slices[0], trace_printk("%d %lu\n", (int)i, ~i));
	report_slices("printk_off");
	tracing_on();
	measure_on_from_threads("event_on_2threads", 2);
	measure_on_from_threads("event_on_4threads", 4);
	switch_event("bench_event", "0");
	switch_event("bench_string", "0");
}

/* ---- histograms of events that are not recorded ---- */

static void set_hist(const char *event, const char *trigger)
{
	write_event_file(event, "trigger", trigger);
}

static void measure_hits(const char *name)
{
	MEASURE(slices[0], trace_bench_event((int)i & 15, i, text));
	report_slices(name);
}

static void measure_one_hist(void)
{
	set_hist("bench_event", "hist:keys=i:vals=u");
	measure_hits("hist_on");
	measure_on_from_threads("hist_on_4threads", 4);
	set_hist("bench_event", "!hist:keys=i:vals=u");
	set_hist("bench_event", "hist:keys=u.log2:vals=u");
	measure_hits("hist_log2_on");
	set_hist("bench_event", "!hist:keys=u.log2:vals=u");
	set_hist("bench_event", "hist:keys=s:vals=u");
	measure_hits("hist_string_on");
	set_hist("bench_event", "!hist:keys=s:vals=u");
}

/* The time from bench_event to bench_end, as a synthetic event that a histogram counts.  For
 * comparison the two events are recorded. */
static void measure_latency(void)
{
	switch_event("bench_event", "1");
	switch_event("bench_end", "1");
	MEASURE(slices[0], trace_bench_event((int)i & 15, i, text);
		trace_bench_end((int)i & 15, i, text));
	report_slices("event_pair");
	switch_event("bench_event", "0");
	switch_event("bench_end", "0");
	root_write("synthetic_events", "bench_latency u64 lat");
	root_write("events/synthetic/bench_latency/trigger", "hist:keys=lat.log2");
	set_hist("bench_event", "hist:keys=i:ts0=common_timestamp");
	set_hist("bench_end", "hist:keys=i:lat=common_timestamp-$ts0:"
		 "onmatch(bench.bench_event).bench_latency($lat)");
	MEASURE(slices[0], trace_bench_event((int)i & 15, i, text);
		trace_bench_end((int)i & 15, i, text));
	report_slices("onmatch_pair");
	set_hist("bench_end", "!hist:keys=i:lat=common_timestamp-$ts0:"
		 "onmatch(bench.bench_event).bench_latency($lat)");
	set_hist("bench_event", "!hist:keys=i:ts0=common_timestamp");
	root_write("events/synthetic/bench_latency/trigger", "!hist:keys=lat.log2");
	root_write("synthetic_events", "");
}

static void run_round(void)
{
	measure_round_off();
	measure_round_on();
	measure_one_hist();
	measure_latency();
}

int main(void)
{
	sched_getaffinity(0, sizeof(allowed), &allowed);
	measure_pin(&allowed, 0);
	tsc_ghz = measure_tsc_ghz();
	limit_rings = limit_init();
	if (!limit_rings)
		worker_fail("no restartable sequences here");
	return worker_main(run_round);
}
