/* SPDX-License-Identifier: MIT */
/*
 * Worker that measures the benchmark's event in LTTng-UST, and tracef() of LTTng-UST.
 * bench/run creates a session in snapshot mode and enables both before this program starts.
 */
#include <stdint.h>

#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "bench_lttng_trace.h"

#include "bench_lttng_tracef.h"
#include "measure.h"
#include "worker.h"

static const char text[16] = "0123456789abcde";

static double tsc_ghz;
static double slices[MEASURE_SLICES];

static void run_round(void)
{
	if (!lttng_ust_tracepoint_enabled(ulf_bench, event))
		worker_fail("LTTng has not enabled ulf_bench:event");
	MEASURE(slices, lttng_ust_tracepoint(ulf_bench, unused, (int)i, ~i, text));
	worker_result("lttng_off", measure_ns(slices, MEASURE_SLICES, tsc_ghz));
	MEASURE(slices, lttng_ust_tracepoint(ulf_bench, event, (int)i, ~i, text));
	worker_result("lttng_on", measure_ns(slices, MEASURE_SLICES, tsc_ghz));
	MEASURE(slices, lttng_ust_tracepoint(ulf_bench, rejected, (int)i, ~i, text));
	worker_result("lttng_reject", measure_ns(slices, MEASURE_SLICES, tsc_ghz));
	bench_lttng_tracef(slices);
	worker_result("lttng_tracef", measure_ns(slices, MEASURE_SLICES, tsc_ghz));
}

int main(void)
{
	cpu_set_t allowed;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	measure_pin(&allowed, 0);
	tsc_ghz = measure_tsc_ghz();
	return worker_main(run_round);
}
