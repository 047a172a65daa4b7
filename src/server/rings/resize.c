/* SPDX-License-Identifier: MIT */
/*
 * Replace the rings of an instance while writers use them.  New rings are prepared,
 * then the references to the rings are changed, then the processes are notified
 * (apply.c).  The old rings stay readable as abi_side.prev until all their records are
 * read, or until rings of the new size would have overwritten these records.  The
 * memory of old rings is freed when no process can write to it any more.  Records that
 * are still in a `prev` ring at the next change are copied into the new ring
 * (carry.c).
 */
#include <errno.h>
#include <stdlib.h>

#include "event/clock.h"
#include "server/core/apply.h"
#include "server/core/arena.h"
#include "server/core/budget.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/core/timebase.h"
#include "server/rings/merge.h"
#include "server/rings/rings.h"

#define RETIRE_STEP	64u		/* number of rings that are freed between two checks
					 * of the budget */

static struct abi_ring_ref ref_load(const struct abi_ring_ref *shared)
{
	return (struct abi_ring_ref){
		.off = shm_load(&shared->off),
		.bytes = shm_load(&shared->bytes),
	};
}

static void ref_store(struct abi_ring_ref *shared, struct abi_ring_ref ref)
{
	shm_store(&shared->bytes, ref.bytes);
	shm_store(&shared->off, ref.off);
}

/* Return the number that the next generation will have.  A process that has applied this
 * generation has also applied the changes that the caller makes now. */
static uint32_t next_generation(const struct instance *instance)
{
	return shm_load(&instance->root->control->generation) + 1;
}

/* Remove the reference @shared to a ring, and free the ring after all processes have
 * applied @generation: until then they may write to the ring. */
static void drop_ring(struct instance *instance, struct abi_ring_ref *shared,
		      uint32_t generation)
{
	struct abi_ring_ref ref = ref_load(shared);

	if (!ref.off)
		return;
	ref_store(shared, (struct abi_ring_ref){ 0, 0 });
	arena_free(instance->root, &ref, generation);
}

static void drop_side(struct instance *instance, uint32_t cpu, uint32_t side)
{
	struct abi_side *abi = &instance->abi->side[side];
	uint32_t generation = next_generation(instance);

	for (int kind = 0; kind < ABI_RING_KINDS; kind++) {
		drop_ring(instance, &abi->prev[cpu][kind], generation);
		drop_ring(instance, &abi->ring[cpu][kind], generation);
	}
}

void instance_drop_rings(struct instance *instance)
{
	merge_settle_all(instance);
	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++)
		for (uint32_t side = 0; side < ABI_SIDES; side++)
			drop_side(instance, cpu, side);
	instance_rings(instance)->rings_serial++;
}

/*
 * Free the rings of the spare side.  First clear ABI_SPARE_THERE, so that no process
 * swaps sides any more.  So the rings that are freed are certainly those of the spare
 * side.
 */
void instance_free_spare(struct instance *instance)
{
	merge_settle_all(instance);
	__atomic_and_fetch(&instance->abi->spare, ~(uint32_t)ABI_SPARE_THERE,
			   __ATOMIC_ACQ_REL);	/* [switch.spare] */
	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++)
		drop_side(instance, cpu, !abi_main_side(instance->abi, cpu));
	instance_rings(instance)->rings_serial++;
}

static void use_side(struct instance *instance, const struct ring_plan *plan,
		     uint32_t side)
{
	struct abi_side *abi = &instance->abi->side[side];
	uint32_t generation = next_generation(instance);

	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++) {
		for (int kind = 0; kind < ABI_RING_KINDS; kind++) {
			struct abi_ring_ref ref = plan->ref[side][cpu][kind];
			struct abi_ring_ref *ring = &abi->ring[cpu][kind];
			struct abi_ring_ref *prev = &abi->prev[cpu][kind];

			if (!ref.off)
				continue;
			drop_ring(instance, prev, generation);
			if (plan->is_keeping)
				ref_store(prev, ref_load(ring));
			else
				drop_ring(instance, ring, generation);
			ref_store(ring, ref);
		}
	}
}

void ring_plan_use(struct instance *instance, const struct ring_plan *plan)
{
	for (uint32_t side = 0; side < ABI_SIDES; side++)
		use_side(instance, plan, side);
	instance_rings(instance)->rings_serial++;
}

/* On each side that has rings, replace the rings of @cpu (or CPU_ALL) with new ones. */
static int replace_ring(struct instance *instance, int cpu, const uint64_t *cpu_kb,
			bool has_to_keep)
{
	struct ring_plan *plan = calloc(1, sizeof(*plan));
	int r;

	if (!plan)
		return -ENOMEM;
	merge_settle_all(instance);
	plan->cpu_kb = cpu_kb;
	plan->is_keeping = has_to_keep;
	for (uint32_t i = 0; i < instance->root->nr_cpus; i++)
		for (uint32_t side = 0; side < ABI_SIDES; side++)
			if ((cpu == CPU_ALL || (uint32_t)cpu == i) &&
			    shm_load(&instance->abi->side[side].ring[i][0].off))
				ring_plan_add(plan, side, i);
	r = ring_plan_make(instance, plan);
	if (!r)
		ring_plan_use(instance, plan);
	free(plan);
	return r ? r : instance_sync(instance);
}

/* Return true if rings of the sizes @cpu_kb would fit into the arena if it were empty. */
static bool is_size_possible(const struct root *root, const uint64_t *cpu_kb)
{
	uint64_t left_kb = (root->map_bytes - root->arena_off) / 1024;

	for (uint32_t cpu = 0; cpu < root->nr_cpus; cpu++) {
		if (cpu_kb[cpu] > left_kb)
			return false;
		left_kb -= cpu_kb[cpu];
	}
	return true;
}

int instance_resize(struct instance *instance, int cpu, uint64_t kb)
{
	struct root *root = instance->root;
	uint64_t cpu_kb[ABI_CPUS];
	bool is_change = false;
	int r;

	for (uint32_t i = 0; i < root->nr_cpus; i++) {
		cpu_kb[i] = shm_load(&instance->abi->cpu_kb[i]);
		if (cpu != CPU_ALL && (uint32_t)cpu != i)
			continue;
		is_change |= cpu_kb[i] != kb;
		cpu_kb[i] = kb;
	}
	if (!is_change)
		return 0;
	if (!is_size_possible(root, cpu_kb))
		return -ENOMEM;
	if (instance_has_rings(instance)) {
		r = replace_ring(instance, cpu, cpu_kb, true);
		if (r)
			return r;
	}
	for (uint32_t i = 0; i < root->nr_cpus; i++)
		shm_store(&instance->abi->cpu_kb[i], cpu_kb[i]);
	return 0;
}

/* Replace all rings of @instance with empty rings that have the present clock and page
 * size. */
static int rebuild_rings(struct instance *instance)
{
	int r;

	if (!instance_has_rings(instance))
		return 0;
	r = replace_ring(instance, CPU_ALL, NULL, false);
	if (!r)
		shm_store(&instance->abi->time_start, timebase_now(instance));
	return r;
}

int instance_set_clock(struct instance *instance, uint32_t row)
{
	uint32_t old = shm_load(&instance->abi->clock);
	int r;

	/* As in the kernel, setting the clock clears the buffer even if the clock is the
	 * old one. */
	if (row == old) {
		instance_clear(instance, RINGS_ALL, CPU_ALL);
		return 0;
	}
	r = timebase_prepare(instance->root, clock_get(row));
	if (r)
		return r;
	shm_store(&instance->abi->clock, row);
	r = rebuild_rings(instance);
	if (r)
		shm_store(&instance->abi->clock, old);
	return r;
}

int instance_set_page_bytes(struct instance *instance, uint32_t bytes)
{
	uint32_t old = instance_page_bytes(instance);
	int r;

	if (bytes == old)
		return 0;
	shm_store(&instance->abi->page_bytes, bytes);
	r = rebuild_rings(instance);
	if (r)
		shm_store(&instance->abi->page_bytes, old);
	return r;
}

void instance_clear(struct instance *instance, enum rings which, int cpu)
{
	struct instance_ring *ring;

	merge_settle_all(instance);
	for_each_ring(ring, instance, which, cpu)
		ring_clear(&ring->view);
	instance_rings(instance)->rings_serial++;
	if (which != RINGS_SNAPSHOT && cpu == CPU_ALL)
		shm_store(&instance->abi->time_start, timebase_now(instance));
	instance_retire(instance);
}

/*
 * Free @ring, which is an old ring (`prev`), if it is not needed any more.  This is so
 * in two cases: it is empty; or its records would be overwritten next if the old and
 * the new ring were one ring.  This second case is true if the new ring has already
 * overwritten records and its oldest record is at least as young as the oldest one of
 * the old ring.  Returns false if the old ring must stay.
 */
static bool retire_ring(struct instance *instance, struct instance_ring *ring,
			uint32_t generation)
{
	struct instance_ring *heir = ring + ABI_RING_KINDS;
	struct ring_stats old = { 0 }, new = { 0 };

	if (ring->map)
		ring_stats(&ring->view, &old);
	if (heir->map)
		ring_stats(&heir->view, &new);
	if (old.entries && (!new.overrun || new.oldest_ns < old.oldest_ns))
		return false;
	merge_settle_all(instance);
	old.overrun += old.entries;
	old.unreported += old.entries;
	if (heir->map)
		ring_inherit(&heir->view, &old);
	drop_ring(instance, &instance->abi->side[ring->side].prev[ring->cpu][ring->kind],
		  generation);
	return true;
}

/* Free old rings that are no longer needed.  Stop if the root's budget of CPU time is
 * spent: a root may refer to 32,768 rings, and the server needs 10 us to free one. */
void instance_retire(struct instance *instance)
{
	struct instance_rings *rings = instance_rings(instance);
	struct root *root = instance->root;
	struct root_rings *limits = root_rings(root);
	uint32_t generation = shm_load(&root->control->generation), nr = 0;
	bool is_spent = false;

	if (!apply_is_settled(root, generation) || instance_sync(instance))
		return;
	budget_start(&limits->retire_budget);
	for (uint32_t i = 0; i < rings->nr_rings && !is_spent; i++) {
		struct instance_ring *ring = &rings->rings[i];

		if (!ring->is_prev || !ring->ref.off ||
		    !retire_ring(instance, ring, generation) || ++nr % RETIRE_STEP)
			continue;
		instance_sync(instance);
		arena_reap(root);
		is_spent = budget_is_spent(&limits->retire_budget);
	}
	budget_stop(&limits->retire_budget);
	instance_sync(instance);
	arena_reap(root);
}
