/* SPDX-License-Identifier: MIT */
/*
 * Write late records.  The times of late events are those of CLOCK_MONOTONIC_RAW.  Each
 * round of the agent reads this clock and the clock of each buffer at one moment.  The
 * time of a record is that of the buffer's clock at this moment, minus the age of the
 * record.
 */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "abi/ring.h"
#include "arch/arch.h"
#include "base/posix_clock.h"
#include "event/clock.h"
#include "ring/ring.h"
#include "ring/step.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/late.h"

#define SAMPLES		5	/* number of attempts to read two clocks at one
				 * moment; the shortest attempt is used */

/* One reading of a buffer's clock, which the present round has made. */
struct clock_sample {
	uint64_t raw_ns;		/* time of CLOCK_MONOTONIC_RAW when @time was
					 * read */
	uint64_t time;			/* time of the buffer's clock when @raw_ns was
					 * read */
};

static struct clock_sample samples[ABI_BUFFERS];	/* by number of the buffer */
static uint32_t stopped[ABI_BUFFERS];	/* for each buffer, the value of
					 * abi_buffer.stopped at the end of the last
					 * round */

static struct late_thread self;		/* the thread for which the agent writes a
					 * late record */
static uint64_t self_raw_ns;		/* late_source.raw_ns */

static uint32_t number_of(const struct buffer *buffer)
{
	return (uint32_t)__builtin_ctz(buffer->bit);
}

bool late_prepare(void)
{
	ulf_this_thread = NULL;
	return arch_rseq_disown();
}

/* ---- clocks ---- */

static uint64_t buffer_time(const struct buffer *buffer)
{
	const struct ring_set *set = buffer_set(buffer);
	const struct ring_view *view = NULL;

	if (set->nr_cpus && !set->clock_given)
		view = __atomic_load_n(&set->slow[0], __ATOMIC_RELAXED);
	return view && view->ring ? ring_clock_now(view->ring, 0) :
	       clock_read(clock_get(set->clock), root_control);
}

/* Returns true if the buffer's clock counts neither ns nor cycles of the TSC, so that a
 * time in the past cannot be computed. */
static bool is_counter(const struct buffer *buffer)
{
	const struct ring_set *set = buffer_set(buffer);
	const struct clock_row *row = clock_get(set->clock);

	return set->clock_given && !row->is_ns && !row->is_tsc;
}

static void sample_clock(const struct buffer *buffer)
{
	struct clock_sample *best = &samples[number_of(buffer)];
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < SAMPLES; i++) {
		uint64_t before = clock_posix_ns(CLOCK_MONOTONIC_RAW);
		uint64_t time = buffer_time(buffer);
		uint64_t after = clock_posix_ns(CLOCK_MONOTONIC_RAW);

		if (after - before >= width)
			continue;
		width = after - before;
		*best = (struct clock_sample){ before + width / 2, time };
	}
}

void late_round_begin(void)
{
	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		const struct buffer *buffer = buffer_if_used(i);

		if (buffer && !is_counter(buffer))
			sample_clock(buffer);
	}
}

void late_round_end(void)
{
	for (uint32_t i = 0; i < ABI_BUFFERS; i++) {
		const struct buffer *buffer = buffer_if_used(i);

		if (buffer)
			stopped[i] = __atomic_load_n(&buffer->shared->stopped, __ATOMIC_RELAXED);
	}
}

/* Returns the length of a TSC cycle in ns, times 2^32; 0: not known. */
static uint64_t tsc_mult(void)
{
	return __atomic_load_n(&root_control->clock.mult, __ATOMIC_RELAXED);
}

uint64_t late_now(const struct buffer *buffer)
{
	const struct clock_sample *sample = &samples[number_of(buffer)];
	int64_t age_ns = (int64_t)(sample->raw_ns - self_raw_ns);
	uint64_t mult = tsc_mult();

	if (is_counter(buffer))
		return buffer_time(buffer);
	if (__atomic_load_n(&buffer->has_ticks, __ATOMIC_RELAXED))
		return mult ? sample->time - (uint64_t)(((__int128)age_ns << 32) / mult) :
			      sample->time;
	return sample->time - (uint64_t)age_ns;
}

/* ---- write ---- */

/* Returns true if the event happened before recording to the buffer was
 * stopped. */
static bool is_before_stop(const struct buffer *buffer, uint32_t stop)
{
	uint64_t age = abi_late_age(arch_tsc(), stop);
	uint64_t age_ns = (uint64_t)((unsigned __int128)age * tsc_mult() >> 32);

	return tsc_mult() && stop != stopped[number_of(buffer)] &&
	       self_raw_ns + age_ns <= clock_posix_ns(CLOCK_MONOTONIC_RAW);
}

static bool is_recorded(const struct buffer *buffer, uint32_t cpu)
{
	const struct abi_buffer *shared = buffer->shared;
	uint32_t stop = __atomic_load_n(&shared->stopped, __ATOMIC_RELAXED);

	if (__atomic_load_n(&shared->paused, __ATOMIC_RELAXED) ||
	    __atomic_load_n(&shared->cpus_off[cpu / 64], __ATOMIC_RELAXED) >> cpu % 64 & 1)
		return false;
	return !stop || is_before_stop(buffer, stop);
}

/* Returns the late ring of @cpu, or its slow ring if the server has not made the late ring
 * yet. */
static const struct ring_view *find_ring(const struct buffer *buffer, uint32_t cpu)
{
	const struct ring_set *set = buffer_set(buffer);
	const struct ring_side *side;

	if (cpu >= set->nr_cpus)
		return NULL;
	side = &set->side[abi_main_side(buffer->shared, cpu)];
	if (side->late[cpu].ring)
		return &side->late[cpu];
	return side->slow[cpu].ring ? &side->slow[cpu] : NULL;
}

bool late_write(const struct buffer *buffer, void *entry, size_t bytes)
{
	uint32_t cpu = thread_cpu();
	const struct ring_view *view = find_ring(buffer, cpu);
	int r = -ENODEV;

	if (!is_recorded(buffer, cpu))
		return false;
	if (view)
		r = ring_view_write(view, entry, (uint32_t)bytes, late_now(buffer),
				    (uint32_t)arch_syscall0(SYS_gettid));
	if (r && r != -ENOBUFS)
		__atomic_add_fetch(r == -EBUSY ? &buffer->shared->lock_lost :
				   &buffer->shared->no_ring, 1, __ATOMIC_RELAXED);
	return true;
}

void late_count_lost(const struct buffer *buffer, uint64_t nr)
{
	uint32_t cpu = thread_cpu();
	const struct ring_view *view = find_ring(buffer, cpu);

	if (view && is_recorded(buffer, cpu))
		ring_view_drop(view, nr, (uint32_t)arch_syscall0(SYS_gettid));
}

/* ---- let the agent stand for another thread ---- */

void late_enter(const struct late_source *source)
{
	self.thread = (struct ulf_thread){
		.tid = source->tid, .reserved = source->cpu + 1,
	};
	memcpy(self.comm, source->comm, sizeof(self.comm));
	self_raw_ns = source->raw_ns;
	ulf_this_thread = &self.thread;
}

void late_leave(void)
{
	ulf_this_thread = NULL;
}
