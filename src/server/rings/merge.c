/* SPDX-License-Identifier: MIT */
/*
 * Merge rings by time: a heap of cursors, with the oldest record at the top.
 *
 * A consuming merge never returns a record that is younger than the start of its batch
 * (the horizon).  This keeps the order.  A writer reads the clock inside of the
 * section that commits, so a record that is not in its ring at the start of the batch
 * gets a later time than the horizon.
 */
#include <errno.h>
#include <stdlib.h>

#include "arch/arch.h"
#include "base/bits.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/core/shm.h"
#include "server/core/timebase.h"
#include "server/rings/merge_impl.h"
#include "server/rings/receipt.h"

/*
 * Limit in ns.  If the time of a record lies further in the future, it was read from
 * another clock than the buffer's.  Such a record is returned at once, because its time
 * may never come.
 */
#define AHEAD_MAX	10000000000u
#define LATE_MAX	5000000000u	/* maximum time that a reader waits for late
					 * records, in cycles of the TSC */

static void close_sources(struct merge *merge)
{
	for (uint32_t i = 0; i < merge->nr_sources; i++) {
		ring_cursor_done(&merge->sources[i].cursor);
		mapping_put(merge->sources[i].map);
	}
	free(merge->sources);
	free(merge->heap);
	merge->sources = NULL;
	merge->heap = NULL;
	merge->nr_sources = merge->nr_heap = 0;
	merge->is_open = false;
}

static int open_source(struct merge *merge, const struct instance_ring *ring)
{
	struct source *source = &merge->sources[merge->nr_sources];
	struct ring_head head;
	int r;

	*source = (struct source){ .cpu = ring->cpu, .end = UINT64_MAX };
	if (!merge->is_consuming) {
		if (ring_head(&ring->view, &head))
			return 0;	/* skip this ring, because it cannot be read */
		source->end = head.entries;
	}
	/*
	 * merge_settle_others() has ended all offers that this server has made in the
	 * ring.  So a server that was killed has made the offer that is still in the
	 * ring.
	 */
	if (merge->is_consuming)
		receipt_settle(&ring->view);
	r = ring_cursor_init(&source->cursor, &ring->view);
	if (r)
		return r;
	source->map = mapping_get(ring->map);
	merge->nr_sources++;
	return 0;
}

static int open_sources(struct merge *merge)
{
	struct instance *instance = merge->instance;
	struct instance_rings *rings = instance_rings(instance);
	struct instance_ring *ring;
	int r = 0;

	merge->sources = calloc(rings->nr_rings + 1, sizeof(*merge->sources));
	merge->heap = calloc(rings->nr_rings + 1, sizeof(*merge->heap));
	if (!merge->sources || !merge->heap)
		r = -ENOMEM;
	for_each_ring(ring, instance, merge->which, merge->cpu)
		if (!r)
			r = open_source(merge, ring);
	if (r) {
		close_sources(merge);
		return r;
	}
	merge->rings_serial = rings->rings_serial;
	merge->reads_serial = rings->reads_serial;
	merge->is_open = true;
	return 0;
}

int merge_new(struct instance *instance, enum rings which, int cpu,
	      bool is_consuming, struct merge **ret_merge)
{
	struct merge *merge = calloc(1, sizeof(*merge));
	int r;

	if (!merge)
		return -ENOMEM;
	merge->instance = instance;
	merge->which = which;
	merge->cpu = cpu;
	merge->is_consuming = is_consuming;
	r = instance_sync(instance);
	if (!r && is_consuming)
		merge_settle_others(merge);
	if (!r)
		r = open_sources(merge);
	if (r) {
		free(merge);
		return r;
	}
	*ret_merge = merge;
	return 0;
}

void merge_free(struct merge *merge)
{
	if (!merge)
		return;
	merge_unstage(merge);
	close_sources(merge);
	free(merge);
}

/* ---- the heap of sources, sorted by the time of their next record ---- */

static bool is_before(const struct merge *merge, uint32_t a, uint32_t b)
{
	uint64_t time_a = merge->sources[a].record.time_ns;
	uint64_t time_b = merge->sources[b].record.time_ns;

	return time_a != time_b ? time_a < time_b : a < b;
}

static void heap_swap(struct merge *merge, uint32_t a, uint32_t b)
{
	uint32_t t = merge->heap[a];

	merge->heap[a] = merge->heap[b];
	merge->heap[b] = t;
}

static void heap_down(struct merge *merge, uint32_t at)
{
	for (;;) {
		uint32_t first = at, child = 2 * at + 1;

		for (uint32_t i = child; i < child + 2 && i < merge->nr_heap; i++)
			if (is_before(merge, merge->heap[i], merge->heap[first]))
				first = i;
		if (first == at)
			return;
		heap_swap(merge, first, at);
		at = first;
	}
}

static void heap_push(struct merge *merge, uint32_t number)
{
	uint32_t at = merge->nr_heap++;

	merge->heap[at] = number;
	while (at && is_before(merge, merge->heap[at], merge->heap[(at - 1) / 2])) {
		heap_swap(merge, at, (at - 1) / 2);
		at = (at - 1) / 2;
	}
}

/* Get the next record of @source.  Returns false if @source has no more records before
 * its end. */
static bool source_peek(struct merge *merge, struct source *source)
{
	if (source->cursor.entries >= source->end ||
	    ring_cursor_peek(&source->cursor, &source->record) <= 0 ||
	    source->cursor.entries >= source->end)
		return false;
	source->lost = source->cursor.lost;
	/* Do not report losses that happened before `trace` was opened, because the
	 * header of `trace` counts them. */
	if (!merge->is_consuming && !source->is_begun)
		source->lost = 0;
	if (source->lost)
		merge->has_lost = true;
	source->is_begun = true;
	return true;
}

#define HEAP_WORDS	(ABI_CPUS * ABI_RING_KINDS * 2 / 64)

static void heap_bits(const struct merge *merge, uint64_t bits[HEAP_WORDS])
{
	for (uint32_t i = 0; i < merge->nr_heap; i++)
		bits[merge->heap[i] / 64] |= 1ull << merge->heap[i] % 64;
}

/* Look for new records in those sources that are not in the heap because they had no record. */
static void peek_empty(struct merge *merge)
{
	uint64_t in_heap[HEAP_WORDS] = { 0 };

	heap_bits(merge, in_heap);
	for (uint32_t i = 0; i < merge->nr_sources; i++)
		if (!(in_heap[i / 64] >> i % 64 & 1) &&
		    source_peek(merge, &merge->sources[i]))
			heap_push(merge, i);
}

/*
 * Return the age of the oldest late record that a live process has possibly not written yet, in
 * cycles of the TSC.  The result is limited to LATE_MAX, so that a process that hangs does not
 * stop the reader.
 */
static uint64_t late_cycles(const struct root *root)
{
	uint64_t now = arch_tsc(), most = 0;

	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		const struct process *process = root->process[slot];
		uint32_t late;

		if (!process || process->pidfd < 0)
			continue;
		late = shm_load(&root->processes[slot].late);	/* [late.until] */
		if (late >= ABI_LATE_FIRST)
			most = max_u64(most, abi_late_age(now, late) + ABI_LATE_UNIT);
	}
	return min_u64(most, LATE_MAX);
}

/* Return the time up to which a batch returns records: the present time, or earlier if a
 * consuming reader must wait for late records.  The spare side and dead roots get no new
 * records, so there is no limit. */
static uint64_t merge_horizon(const struct merge *merge)
{
	const struct root *root = merge->instance->root;
	uint64_t now, span;

	if (merge->which != RINGS_MAIN || root->state != SERVER_ROOT_ALIVE)
		return UINT64_MAX;
	now = timebase_now(merge->instance);
	if (!merge->is_consuming || !instance_has_late(merge->instance))
		return now;
	span = timebase_span(merge->instance, late_cycles(root));
	return now - (span < now ? span : now);
}

/* Set the end of each source to the present end of its ring.  Must be called after
 * merge.horizon was set, so that every record after the end is younger than the horizon. */
static void move_ends(struct merge *merge)
{
	struct ring_head head;

	for (uint32_t i = 0; i < merge->nr_sources; i++)
		if (!ring_head(&merge->sources[i].cursor.view, &head))
			merge->sources[i].end = head.entries;
}

static bool has_lost(struct merge *merge)
{
	bool has = merge->has_lost;

	merge->has_lost = false;
	for (uint32_t i = 0; i < merge->nr_sources; i++)
		if (merge->sources[i].is_begun && merge->sources[i].cursor.lost)
			has = true;
	return has;
}

bool merge_extend(struct merge *merge)
{
	struct instance *instance = merge->instance;

	if (merge->which != RINGS_MAIN || instance_sync(instance))
		return false;
	if (merge->rings_serial != instance_rings(instance)->rings_serial) {
		/* The rings were replaced.  Stop if the stream has opened the old rings;
		 * otherwise continue with the new ones. */
		if (merge->nr_sources)
			return false;
		close_sources(merge);
		if (open_sources(merge))
			return false;
	}
	merge->has_ended = has_lost(merge) && !merge->has_ended;
	if (merge->has_ended)
		return false;
	merge->horizon = merge_horizon(merge);
	move_ends(merge);
	peek_empty(merge);
	return merge->nr_heap;
}

int merge_start(struct merge *merge)
{
	struct instance *instance = merge->instance;
	int r = 0, was_reset = 0;

	if (merge->is_consuming) {
		r = instance_sync(instance);
		if (r)
			return r;
		merge_settle_others(merge);
		if (!merge->is_open || merge_is_stale(merge)) {
			if (merge->is_staged)
				merge_give_up(merge);
			close_sources(merge);
			r = open_sources(merge);
			was_reset = 1;
		}
	}
	if (r)
		return r;
	merge->horizon = merge_horizon(merge);
	if (!merge->is_consuming && merge->which == RINGS_MAIN)
		move_ends(merge);
	if (merge->is_consuming || !merge->nr_heap)
		peek_empty(merge);
	return was_reset;
}

/* Fill @ret_record from @record and return 1.  If the record is younger than the horizon,
 * return 0, because the reader must wait for it. */
static int merge_emit(const struct merge *merge, const struct source *source,
		      const struct ring_record *record, struct merge_record *ret_record)
{
	if (record->time_ns > merge->horizon &&
	    record->time_ns - merge->horizon < AHEAD_MAX)
		return 0;
	*ret_record = (struct merge_record){
		.time = record->time_ns,
		.data = record->data,
		.bytes = record->bytes,
		.cpu = source->cpu,
	};
	return 1;
}

int merge_peek(struct merge *merge, struct merge_record *ret_record)
{
	const struct source *source;

	if (!merge->nr_heap)
		return 0;
	source = &merge->sources[merge->heap[0]];
	if (!merge_emit(merge, source, &source->record, ret_record))
		return 0;
	ret_record->lost = source->lost;
	return 1;
}

int merge_peek_second(struct merge *merge, int cpu,
		      struct merge_record *ret_record)
{
	struct source *top = &merge->sources[merge->heap[0]], *first = NULL;
	struct ring_record record;

	if (top->cursor.entries + 1 < top->end &&
	    ring_cursor_peek_second(&top->cursor, &record) > 0)
		first = top;
	for (uint32_t i = 1; i < merge->nr_heap; i++) {
		struct source *source = &merge->sources[merge->heap[i]];

		if ((cpu != CPU_ALL && source->cpu != (uint32_t)cpu) ||
		    (first && source->record.time_ns >= record.time_ns))
			continue;
		first = source;
		record = source->record;
	}
	return first ? merge_emit(merge, first, &record, ret_record) : 0;
}

void merge_advance(struct merge *merge)
{
	struct source *source = &merge->sources[merge->heap[0]];

	ring_cursor_advance(&source->cursor, &source->record);
	source->has_moved = true;
	if (!source_peek(merge, source)) {
		merge->nr_heap--;
		merge->heap[0] = merge->heap[merge->nr_heap];
	}
	heap_down(merge, 0);
}

/* ---- functions that report losses in rings that have no record after the loss ---- */

static struct source *lost_source(const struct merge *merge)
{
	uint64_t in_heap[HEAP_WORDS] = { 0 };

	heap_bits(merge, in_heap);
	for (uint32_t i = 0; i < merge->nr_sources; i++)
		if (merge->sources[i].cursor.lost &&
		    !(in_heap[i / 64] >> i % 64 & 1))
			return &merge->sources[i];
	return NULL;
}

uint64_t merge_next_lost(struct merge *merge, uint32_t *ret_cpu)
{
	struct source *source = lost_source(merge);
	uint64_t lost;

	if (!source)
		return 0;
	lost = source->cursor.lost;
	source->cursor.lost = 0;
	source->has_moved = true;
	*ret_cpu = source->cpu;
	return lost;
}

bool merge_has_lost(const struct merge *merge)
{
	return lost_source(merge);
}
