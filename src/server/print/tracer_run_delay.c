/* SPDX-License-Identifier: MIT */
/* The tracer "run_delay": keeps the trace before the longest wait of a thread for a CPU. */
#include "server/core/instance.h"
#include "server/print/latency.h"
#include "server/print/tracer.h"
#include "server/rings/rings.h"

static int start(struct instance *instance)
{
	int r = instance_need_late(instance);

	return r ? r : latency_start(instance);
}

static int stop(struct instance *instance)
{
	latency_stop(instance);
	return 0;
}

const struct tracer tracer_run_delay = {
	.is_latency = true,
	.start = start,
	.stop = stop,
};
