/* SPDX-License-Identifier: MIT */
/*
 * Handle a hit of an event that has histograms or event probes: run their programs on the
 * record.
 *
 * The short path: the event goes to one buffer, and has one histogram and no other trigger.
 * If it is soft disabled, a hit walks no plan and no list of triggers.  If the event is
 * recorded, too, the hit walks the plan after all.
 *
 * Most such histograms are quick (hist/quick.h): their hits do not even run a program.  If the
 * key is a number or an array of characters, ulf_event_commit() counts the hit in assembly.
 * It calls this code only if the key is new, or if its entry is far from the first slot
 * (commit.S of src/arch).
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/control.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "event/clock.h"
#include "hist/quick.h"
#include "hist/run_inline.h"
#include "ring/ring.h"
#include "ring/step.h"
#include "runtime/base/comm.h"
#include "runtime/base/root.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/late.h"
#include "runtime/event/commit.h"
#include "runtime/event/dynamic.h"
#include "runtime/event/hist.h"
#include "runtime/event/trigger.h"
#include "runtime/unwind/stack.h"
#include <ulf/event.h>

/* ---- callbacks of a histogram program ---- */

/* Read the clock of a buffer, because no fast ring of this CPU can compute the time.  A
 * process without rseq has only slow rings. */
static __attribute__((noinline)) uint64_t read_clock(const struct ring_set *set)
{
	const struct ring_view *view = NULL;

	if (set->nr_cpus && !set->clock_given)
		view = __atomic_load_n(&set->slow[0], __ATOMIC_RELAXED);
	return view && view->ring ? ring_clock_now(view->ring, 0) :
	       clock_read(clock_get(set->clock), root_control);
}

/* Returns the time of the hit.  If this CPU has a ring that reads the TSC itself, the ring's
 * scale makes the time from the TSC.  Otherwise the clock of the buffer is read. */
static uint64_t hit_now(void *ctx)
{
	const struct trigger_hit *hit = ctx;
	const struct ring_set *set = buffer_set(hit->use->buffer);
	uint32_t cpu = arch_rseq_cpu();

	if (cpu < set->nr_cpus && !set->clock_given) {
		const struct abi_ring *ring = __atomic_load_n(&set->fast[cpu], __ATOMIC_RELAXED);
		uint64_t mult = __atomic_load_n(&ring->clock_mult, __ATOMIC_RELAXED);

		if (mult)
			return ring->clock_ns + arch_tsc_scale(arch_tsc(), mult);
	}
	return thread_is_late() ? late_now(hit->use->buffer) : read_clock(set);
}

static void hit_comm(void *ctx, char ret_comm[HIST_COMM_LEN])
{
	(void)ctx;
	comm_get(ret_comm);
}

static uint32_t hit_stack(void *ctx, uint64_t *ret_ips, uint32_t max)
{
	const struct trigger_hit *hit = ctx;

	return stack_save(hit->event, hit->depth, ret_ips, max);
}

static size_t hit_peek(void *ctx, uint64_t address, void *to, size_t bytes)
{
	(void)ctx;
	return arch_read_memory(thread_tid(), address, to, bytes);
}

static uint64_t load_word(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* Count a hit of a quick histogram (see the top of this file).  Returns false if the
 * histogram's program must be run instead. */
static inline bool count_quickly(const struct hist_quick *quick, const void *entry, size_t bytes)
{
	if (load_word(quick->paused))
		return false;
	if (quick->kind == HIST_QUICK_STR)
		return quick->val.bytes ?
		       hist_quick_add(quick, entry, bytes, HIST_QUICK_STR, true) :
		       hist_quick_add(quick, entry, bytes, HIST_QUICK_STR, false);
	return quick->val.bytes ? hist_quick_add(quick, entry, bytes, HIST_QUICK_NUM, true) :
	       hist_quick_add(quick, entry, bytes, HIST_QUICK_NUM, false);
}

/* Count a hit of a dynamic event whose only trigger is a quick histogram, and which is soft
 * disabled.  Returns false if the event must be recorded in the ordinary way. */
static inline bool emit_quickly(const struct ulf_event *event, uint32_t *entry, size_t bytes)
{
	const struct event_use *use = event ? event_plan(event) : NULL;

	if (!use || !use->quick || !entry || !load_word(use->soft))
		return false;
	entry[0] = event->id;
	entry[1] = thread_tid();
	return count_quickly(use->quick, entry, bytes);
}

static void hit_emit(void *ctx, uint32_t row, void *entry, size_t bytes)
{
	const struct ulf_event *event = dynamic_event(row);

	if (!emit_quickly(event, entry, bytes))
		event_emit(ctx, event, NULL, entry, bytes);
}

/* Record an event probe only in the instance in which its target was hit, because each
 * instance has a trigger of its own for the probe. */
static void hit_emit_here(void *ctx, uint32_t row, void *entry, size_t bytes)
{
	const struct trigger_hit *hit = ctx;

	event_emit(hit, dynamic_event(row), hit->use->buffer, entry, bytes);
}

/* The callbacks of a histogram's program, and those of an event probe's
 * program. */
const struct hist_context hist_context = {
	.now = hit_now, .get_comm = hit_comm, .stack = hit_stack, .peek = hit_peek,
	.emit = hit_emit,
};
const struct hist_context hist_probe_context = {
	.now = hit_now, .get_comm = hit_comm, .stack = hit_stack, .peek = hit_peek,
	.emit = hit_emit_here,
};

static __attribute__((noinline)) uint32_t ask_cpu(void)
{
	return thread_cpu();
}

/* Run the program of @hist. */
static inline __attribute__((always_inline)) void
run_hist(const struct event_hist *hist, struct trigger_hit *hit)
{
	struct hist_run run;
	bool is_snapshot;

	if (__atomic_load_n(hist->paused, __ATOMIC_RELAXED) ||
	    hit->bytes < hist->unit.program->record_bytes)
		return;
	run.unit = &hist->unit;
	run.rec = hit->entry;
	run.bytes = hit->bytes;
	run.context = hist->context;
	run.ctx = hit;
	run.cpu = arch_rseq_cpu();
	if (unlikely(run.cpu >= ABI_CPUS))
		run.cpu = ask_cpu();
	run.has_rseq = hist->has_rseq;
	if (hist->unit.nr_regs > HIST_REGS_FEW)
		is_snapshot = hist_run_any(&run);
	else
		is_snapshot = hist_run_few(&run, hit_now);
	if (unlikely(is_snapshot))
		hit->after |= TRIGGERS_SNAPSHOT;
}

void hist_hit(const struct event_hist *hist, struct trigger_hit *hit)
{
	run_hist(hist, hit);
}

/* ---- the short path ---- */

static inline __attribute__((always_inline)) bool
solo_hit(const struct event_use *use, void *entry, size_t bytes, const struct ulf_event *event,
	 uint32_t depth)
{
	struct trigger_hit hit;

	if (!load_word(use->soft))
		return false;
	if (use->quick && count_quickly(use->quick, entry, bytes))
		return true;
	hit.use = use;
	hit.entry = entry;
	hit.bytes = bytes;
	hit.event = event;
	hit.call = NULL;
	hit.depth = depth;
	hit.after = 0;
	run_hist(use->solo, &hit);
	if (unlikely(hit.after))
		triggers_after(&hit);
	return true;
}

void hist_solo_commit(const struct event_use *use, void *entry, size_t bytes)
{
	if (solo_hit(use, entry, bytes, use->event, 0))
		ulf_probe_exit();
	else
		event_deliver(use, entry, bytes);
}

bool hist_solo_hit(const struct event_use *use, void *entry, size_t bytes,
		   const struct ulf_event *event, uint32_t depth)
{
	return solo_hit(use, entry, bytes, event, depth);
}
