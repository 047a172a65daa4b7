/* SPDX-License-Identifier: MIT */
/*
 * Hand records over to a reader.  Records leave the rings only after the reader has got
 * them.  So no record is lost if the server is killed.
 *
 *	stage -> offer -> consume	the reader has the records
 *		       -> withdraw	not yet, or never: the records stay in the rings
 *	      -> give up		unknown whether the reader has the records
 *
 * docs/design/ring.md describes what the next server finds if a server is killed at each
 * of these steps.
 */
#include "base/testpoint.h"
#include "server/core/instance.h"
#include "server/rings/merge_impl.h"

bool merge_is_staged(const struct merge *merge)
{
	return merge->is_staged;
}

bool merge_is_stale(const struct merge *merge)
{
	return merge->rings_serial != instance_rings(merge->instance)->rings_serial ||
	       merge->reads_serial != instance_rings(merge->instance)->reads_serial;
}

static void merge_unstage_records(struct merge *merge)
{
	if (merge->is_staged)
		LIST_REMOVE(merge, staged);
	merge->is_staged = false;
}

void merge_unstage(struct merge *merge)
{
	merge_withdraw(merge);
	merge_unstage_records(merge);
}

void merge_stage(struct merge *merge)
{
	for (uint32_t i = 0; i < merge->nr_sources; i++)
		merge->sources[i].was_consumed = false;
	if (!merge->is_staged)
		LIST_INSERT_HEAD(&instance_rings(merge->instance)->staged, merge, staged);
	merge->is_staged = true;
}

void merge_offer(struct merge *merge, uint64_t ticket)
{
	if (!merge->is_staged)
		return;
	for (uint32_t i = 0; i < merge->nr_sources; i++) {
		struct source *source = &merge->sources[i];

		if (!source->has_moved || source->is_offered)
			continue;
		source->is_offered = true;
		ring_cursor_offer(&source->cursor, ticket);
		TESTPOINT("merge.offer");
	}
}

void merge_withdraw(struct merge *merge)
{
	for (uint32_t i = 0; i < merge->nr_sources; i++) {
		struct source *source = &merge->sources[i];

		if (source->is_offered)
			ring_cursor_withdraw(&source->cursor);
		source->is_offered = false;
	}
}

void merge_consume(struct merge *merge)
{
	struct instance *instance = merge->instance;
	bool has_moved = false;

	for (uint32_t i = 0; i < merge->nr_sources; i++) {
		struct source *source = &merge->sources[i];

		source->was_consumed = source->has_moved;
		if (!source->has_moved)
			continue;
		source->has_moved = source->is_offered = false;
		ring_cursor_consume(&source->cursor);
		source->after = ring_read_state(&source->cursor.view);
		has_moved = true;
		TESTPOINT("merge.consume");
	}
	merge_unstage_records(merge);
	if (has_moved)
		merge->reads_serial = ++instance_rings(instance)->reads_serial;
}

/*
 * Give the staged records up.  The records are treated as if the server had been killed after
 * merge_offer(), so they are in doubt: it is unknown whether the reader has got them.  The
 * next merge_start() continues after these records.
 */
void merge_give_up(struct merge *merge)
{
	merge_offer(merge, 0);
	for (uint32_t i = 0; i < merge->nr_sources; i++) {
		struct source *source = &merge->sources[i];

		if (source->is_offered)
			ring_settle(&source->cursor.view, RING_IN_DOUBT);
		source->has_moved = source->is_offered = false;
	}
	merge_unstage_records(merge);
	instance_rings(merge->instance)->reads_serial++;
}

/* Return true if the ring of @source still belongs to @instance.  If not, other data may be in
 * the ring's memory. */
static bool has_ring(struct instance *instance, const struct source *source)
{
	struct instance_ring *ring;

	for_each_ring(ring, instance, RINGS_ALL, CPU_ALL)
		if (ring->map == source->map)
			return true;
	return false;
}

void merge_return(struct merge *merge, bool is_partial)
{
	struct instance *instance = merge->instance;
	bool is_doubt = is_partial || instance_sync(instance) ||
			merge_is_stale(merge);

	for (uint32_t i = 0; i < merge->nr_sources; i++) {
		struct source *source = &merge->sources[i];

		if (!source->was_consumed || !has_ring(instance, source))
			continue;
		source->was_consumed = false;
		if (is_doubt)
			ring_cursor_doubt(&source->cursor, &source->after);
		else
			ring_cursor_return(&source->cursor);
	}
	instance_rings(instance)->reads_serial++;
}

/*
 * Return true if @merge may read rings of which @other has staged records.  If the
 * streams read different sides, they usually have no ring in common.  But after the
 * sides were swapped, a ring that @other has opened on the main side may now belong to
 * the snapshot.  In this case the sides are not compared.
 */
static bool merge_overlaps(const struct merge *merge, const struct merge *other)
{
	bool is_swapped = other->rings_serial != instance_rings(other->instance)->rings_serial;

	return (merge->which == other->which || is_swapped) &&
	       (merge->cpu == CPU_ALL || other->cpu == CPU_ALL ||
		merge->cpu == other->cpu);
}

void merge_settle_others(struct merge *merge)
{
	struct merge *other, *next;

	for (other = LIST_FIRST(&instance_rings(merge->instance)->staged); other; other = next) {
		next = LIST_NEXT(other, staged);
		if (other != merge && merge_overlaps(merge, other))
			merge_give_up(other);
	}
}

void merge_settle_all(struct instance *instance)
{
	struct instance_rings *rings = instance_rings(instance);

	while (!LIST_EMPTY(&rings->staged))
		merge_give_up(LIST_FIRST(&rings->staged));
}
