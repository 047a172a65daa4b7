/* SPDX-License-Identifier: MIT */
/*
 * Measure the rate of the TSC.  The rate is a property of the machine, so the server
 * measures it only once, before the first ring is made.  The time base of a root is
 * stored in the root's memory and never changes, because the next server uses it, too.
 */
#include <stdbool.h>
#include <time.h>

#include "arch/arch.h"
#include "base/text.h"
#include "event/clock.h"
#include "ring/ring.h"
#include "server/core/instance.h"
#include "server/core/perf_clock.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/core/timebase.h"

#define SAMPLE_NS_MIN	20000000u	/* minimum time that passes between the two
					 * samples of the TSC, ns */
#define HEADSTART_NS	1000000u	/* a root's time base lies this long before the time
					 * of its computation, ns: the TSCs of CPUs may
					 * differ, and none of them must be below the time
					 * base */

struct sample {
	uint64_t tsc;
	uint64_t ns;
};

/* First sample of TSC and time; timebase_start() takes it once. */
static struct sample first;

/* Read TSC and CLOCK_MONOTONIC at one moment: of 16 tries the one that took the shortest
 * time counts. */
static struct sample sample_take(void)
{
	struct sample best = { 0, 0 };
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < 16; i++) {
		uint64_t before = arch_tsc();
		uint64_t ns = clock_posix_ns(CLOCK_MONOTONIC);
		uint64_t after = arch_tsc();

		if (after - before < width) {
			width = after - before;
			best.tsc = before + width / 2;
			best.ns = ns;
		}
	}
	return best;
}

void timebase_start(void)
{
	if (!first.ns)
		first = sample_take();
}

static void calibrate_clock(struct abi_clock *clock)
{
	struct sample now;
	uint64_t mult;

	timebase_start();
	now = sample_take();
	if (now.ns - first.ns < SAMPLE_NS_MIN) {
		struct timespec rest = {
			.tv_nsec = (long)(SAMPLE_NS_MIN - (now.ns - first.ns)),
		};

		nanosleep(&rest, NULL);
		now = sample_take();
	}
	if (now.tsc <= first.tsc)
		return;
	mult = (uint64_t)(((unsigned __int128)(now.ns - first.ns) << 32) /
			  (now.tsc - first.tsc));
	/* Do not use a TSC that is slower than 1 GHz, because the rings cannot scale it. */
	if (!mult || mult >> 32)
		return;
	clock->tsc0 = now.tsc -
		      (uint64_t)(((unsigned __int128)HEADSTART_NS << 32) / mult);
	clock->ns0 = now.ns - HEADSTART_NS;
	shm_store(&clock->mult, mult);		/* [root.clock] */
}

static struct abi_clock root_clock(const struct root *root)
{
	struct abi_clock *shared = &root->control->clock;

	return (struct abi_clock){
		.mult = shm_load(&shared->mult),
		.tsc0 = shm_load(&shared->tsc0),
		.ns0 = shm_load(&shared->ns0),
	};
}

void timebase_need(struct root *root)
{
	if (!root_clock(root).mult && arch_tsc_is_invariant())
		calibrate_clock(&root->control->clock);
}

static const struct clock_row *clock_of(const struct instance *instance)
{
	return clock_get(shm_load(&instance->abi->clock));
}

/* Return true if rings can compute the time of the clock @row from the TSC, and set
 * *@ret_scale to the factors. */
static bool has_scale(const struct instance *instance, const struct clock_row *row,
		      struct abi_clock *ret_scale)
{
	const struct abi_clock base = root_clock(instance->root);

	return row->ring && row->ring(&base, ret_scale);
}

void timebase_config(const struct instance *instance, struct ring_config *config)
{
	struct root *root = instance->root;
	const struct clock_row *row = clock_of(instance);
	struct abi_clock scale;

	config->flags &= ~(uint32_t)ABI_RING_CLOCK_GIVEN;
	config->clock_mult = 0;
	config->clock_tsc = 0;
	config->clock_ns = 0;
	/* Measure the rate of the TSC if the ring must convert the TSC to ns. */
	if (row->ring && clock_is_in_ns(row))
		timebase_need(root);
	if (!has_scale(instance, row, &scale)) {
		config->flags |= ABI_RING_CLOCK_GIVEN;
		return;
	}
	config->clock_mult = scale.mult;
	config->clock_tsc = scale.tsc0;
	config->clock_ns = scale.ns0;
}

uint64_t timebase_now(const struct instance *instance)
{
	const struct clock_row *row = clock_of(instance);
	struct abi_clock scale;

	if (has_scale(instance, row, &scale))
		return scale.ns0 + (uint64_t)((unsigned __int128)(arch_tsc() - scale.tsc0) *
					      scale.mult >> 32);
	return (row->peek ? row->peek : row->read)(row, instance->root->control);
}

/* A TSC that can be used has a rate of at least 1 GHz.  So a cycle takes at most 1 ns,
 * and @cycles is an upper bound in ns. */
uint64_t timebase_span(const struct instance *instance, uint64_t cycles)
{
	const struct clock_row *row = clock_of(instance);
	struct abi_clock scale;

	if (has_scale(instance, row, &scale))
		return (uint64_t)((unsigned __int128)cycles * scale.mult >> 32) + 1;
	return clock_is_in_ns(row) ? cycles : 0;
}

bool timebase_has(const struct clock_row *row)
{
	return !row->has_offset || perf_clock_is_there();
}

int timebase_prepare(struct root *root, const struct clock_row *row)
{
	return row->has_offset ? perf_clock_update(&root->control->perf_ns) : 0;
}

void timebase_update(struct root *root)
{
	const struct instance *instance;

	for_each_instance(instance, root) {
		if (clock_of(instance)->has_offset) {
			perf_clock_update(&root->control->perf_ns);
			return;
		}
	}
}

/* Convert a difference of times to TSC cycles. */
static uint64_t to_tsc(const struct abi_clock *scale, uint64_t time)
{
	return (uint64_t)(((unsigned __int128)time << 32) / scale->mult);
}

uint64_t timebase_tsc(const struct instance *instance, uint64_t time)
{
	const struct clock_row *row = clock_of(instance);
	struct abi_clock clock = root_clock(instance->root), scale;

	if (has_scale(instance, row, &scale))
		return time < scale.ns0 ? 0 :
		       scale.tsc0 + to_tsc(&scale, time - scale.ns0);
	if (!clock.mult || !clock_is_in_ns(row))
		return UINT64_MAX;
	return arch_tsc() - to_tsc(&clock, timebase_now(instance) - time);
}

void timebase_print(const struct instance *instance, uint64_t time,
		    struct text *out)
{
	uint64_t us = time / 1000 + (time % 1000 >= 500);

	if (!clock_is_in_ns(clock_of(instance)))
		text_printf(out, "%llu", (unsigned long long)time);
	else
		text_printf(out, "%5llu.%06llu",
			    (unsigned long long)(us / 1000000),
			    (unsigned long long)(us % 1000000));
}
