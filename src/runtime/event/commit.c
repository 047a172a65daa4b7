/* SPDX-License-Identifier: MIT */
/* Write the records of events that are not written straight to one ring: walk the event's
 * plan. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/filter.h"
#include "filter/numbers.h"
#include "filter/run.h"
#include "ring/ring.h"
#include "runtime/base/comm.h"
#include "runtime/base/thread.h"
#include "runtime/buffer/buffer.h"
#include "runtime/buffer/pids.h"
#include "runtime/buffer/switch.h"
#include "runtime/buffer/buffer_write.h"
#include "runtime/event/commit.h"
#include "runtime/event/hist.h"
#include "runtime/event/trigger.h"
#include "runtime/unwind/stack.h"
#include <ulf/event.h>
#include <ulf/record.h>

/* Run the instructions of @filter from number @at on. */
static __attribute__((noinline)) uint32_t
run_on(const struct filter_program *filter, const void *entry, size_t bytes,
       uint32_t at)
{
	const struct filter_context context = {
		.cpu = thread_cpu(),
		.tid = thread_tid(),
		.get_comm = comm_get,
	};

	return filter_run_on(filter, entry, bytes, &context, at);
}

/* Returns true if the record passes the filter.  @at: number of the next instruction of
 * @filter to run. */
static inline bool is_kept(const struct filter_program *filter,
			   const void *entry, size_t bytes, uint32_t at)
{
	if (!filter)
		return true;
	if (bytes < filter->record_bytes)
		return false;
	if (at < filter->nr_insns)
		at = run_on(filter, entry, bytes, at);
	return at != filter->nr_insns;
}

static inline bool is_ignored(const struct event_use *use)
{
	return __atomic_load_n(&use->buffer->has_pids, __ATOMIC_RELAXED) &&
	       !use->is_anybodys &&
	       pids_ignore(use->buffer, thread_tid());
}

bool filter_keeps(const struct filter_program *filter, const void *entry,
		  size_t bytes)
{
	return is_kept(filter, entry, bytes, 0);
}

/* Record a hit: write the record and, with the option stacktrace, the stack.  @event:
 * the event that the program has hit, to which the stack belongs.  @depth: see struct
 * trigger_hit. */
static void record_entry(const struct event_use *use, void *entry, size_t bytes,
			 const struct ulf_event *event, uint32_t depth)
{
	buffer_write(use->buffer, entry, bytes);
	if (use->has_stack)
		stack_record(use->buffer, event, depth);
}

static bool is_soft_disabled(const struct event_use *use)
{
	return __atomic_load_n(use->soft, __ATOMIC_RELAXED);
}

/* Handle a hit in soft mode: run the triggers, and write the record.  A trigger may switch
 * this event, or tracing, on or off.  As in the kernel, the triggers of a conditional
 * event need a record, so they do not run if the buffer ignores this thread. */
static __attribute__((noinline)) void
deliver_softly(const struct event_use *use, void *entry, size_t bytes,
	       const struct ulf_event *event, uint32_t depth)
{
	struct trigger_hit hit = {
		.use = use, .entry = entry, .bytes = bytes, .event = event, .depth = depth,
	};
	bool can_write = !use->is_conditional ||
			 buffer_is_recording(use->buffer);

	if (use->is_conditional && is_ignored(use))
		return;
	triggers_before(&hit);
	if (can_write && !is_soft_disabled(use) &&
	    is_kept(use->filter, entry, bytes, 0) && !is_ignored(use))
		record_entry(use, entry, bytes, event, depth);
	if (hit.after)
		triggers_after(&hit);
}

/* Walk the plan from @use on.  @at: number of the next instruction of the filter
 * of @use. */
static __attribute__((noinline)) void deliver_entry(const struct event_use *use,
						    void *entry, size_t bytes,
						    uint32_t at)
{
	for (; use; use = use->next) {
		if (use->soft)
			deliver_softly(use, entry, bytes, use->event, 0);
		else if (is_kept(use->filter, entry, bytes, at) &&
			 !is_ignored(use))
			record_entry(use, entry, bytes, use->event, 0);
		at = 0;
	}
	ulf_probe_exit();
}

void event_deliver(const struct event_use *use, void *entry, size_t bytes)
{
	deliver_entry(use, entry, bytes, 0);
}

static __attribute__((noinline)) void commit_first(const struct ulf_event *event,
						   void *entry, size_t bytes)
{
	if (ulf_thread_attach())
		event_commit_slowly(event, entry, bytes);
	else if (buffer_top())
		__atomic_add_fetch(&buffer_top()->shared->no_ring, 1,
				   __ATOMIC_RELAXED);
}

/*
 * Handle a hit that ulf_event_commit(), which is in assembly (commit.S of src/arch),
 * cannot handle: a record is large, a page is full, the rseq section was aborted, or
 * the plan must be walked.  If the filter rejects the record by comparing numbers only,
 * the record is dropped in this function, without a further call.
 */
void event_commit_slowly(const struct ulf_event *event, void *entry,
			 size_t bytes)
{
	const struct filter_program *filter;
	const struct event_use *use;
	uint32_t *head = entry, at = 0;

	if (__builtin_expect(!ulf_this_thread, 0)) {
		commit_first(event, entry, bytes);
		return;
	}
	/* Store the header again, because a signal handler may have called fork()
	 * after the hit, and in the child this thread has another thread id. */
	head[0] = event->id;
	head[1] = ulf_probe_enter()->tid;
	use = event_plan(event);
	filter = use ? use->only : NULL;
	if (filter && bytes >= filter->record_bytes) {
		at = filter_run_numbers(filter, entry, 0);
		if (at == filter->nr_insns) {
			ulf_probe_exit();
			return;
		}
	} else if (use && use->solo) {
		hist_solo_commit(use, entry, bytes);
		return;
	}
	deliver_entry(use, entry, bytes, at);
}

/* Count a record of @event as lost.  There is no record on which a filter could run.  So
 * each buffer counts the loss, even if its filter might have rejected the record. */
static void count_lost(const struct ulf_event *event)
{
	for (const struct event_use *use = event_plan(event); use; use = use->next) {
		struct trigger_hit hit = { .use = use, .event = event };

		if (use->soft && !use->is_conditional)
			triggers_before(&hit);
		if (!(use->soft && is_soft_disabled(use)) &&
		    !is_ignored(use))
			buffer_drop(use->buffer);
	}
}

void ulf_event_too_big(const struct ulf_event *event)
{
	if (!ulf_probe_enter())
		return;
	count_lost(event);
	ulf_probe_exit();
}

/* ---- dynamic events ---- */

void event_emit(const struct trigger_hit *cause, const struct ulf_event *event,
		const struct buffer *only, void *entry, size_t bytes)
{
	const struct event_use *use = event ? event_plan(event) : NULL;
	uint32_t *head = entry, depth = cause->depth + 1;

	if (!use)
		return;
	if (!entry || depth > EMIT_DEPTH_MAX) {
		count_lost(event);
		return;
	}
	head[0] = event->id;
	head[1] = thread_tid();
	for (; use; use = use->next) {
		if (only && use->buffer != only)
			continue;
		if (use->solo && hist_solo_hit(use, entry, bytes, cause->event, depth))
			continue;
		if (use->soft)
			deliver_softly(use, entry, bytes, cause->event, depth);
		else if (is_kept(use->filter, entry, bytes, 0) && !is_ignored(use))
			record_entry(use, entry, bytes, cause->event, depth);
	}
}

static_assert(ULF_RECORD_MAX == RING_PAYLOAD_MAX, "a record fits a page");
