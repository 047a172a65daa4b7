/* SPDX-License-Identifier: MIT */
#include "runtime/sched/run_delay.h"

#include "event/tracer.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/late.h"
#include "runtime/buffer/latency.h"
#include "runtime/sched/events.h"
#include "runtime/sched/names.h"

bool run_delay_is_wanted(void)
{
	return latency_buffers(TRACER_RUN_DELAY);
}

static void keep_longest(const struct buffer *buffer, const struct sched_wait *wait)
{
	uint64_t claim = latency_claim(buffer, wait->longest_ns);

	if (!claim)
		return;
	sched_events_write_wait(buffer, wait);
	latency_keep(buffer, claim);
}

void run_delay_waited(const struct sched_wait *wait)
{
	uint32_t mask = latency_buffers(TRACER_RUN_DELAY);
	struct late_source source = {
		.tid = wait->tid, .cpu = wait->cpu, .raw_ns = wait->raw_ns,
	};

	if (!mask)
		return;
	names_get(wait->tid, source.comm);
	names_record(wait->tid, wait->pid);
	late_enter(&source);
	ulf_probe_enter();
	for (; mask; mask &= mask - 1)
		keep_longest(buffer_if_used((uint32_t)__builtin_ctz(mask)), wait);
	ulf_probe_exit();
	late_leave();
}
