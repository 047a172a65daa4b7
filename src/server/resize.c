/* SPDX-License-Identifier: MIT */
/*
 * Replacing the rings of an instance.  Writers go on meanwhile: new rings are
 * made ready, the references are changed, and the processes are told
 * (apply.c); the old rings stay readable as `prev` until they are drained or
 * overtaken, and their memory goes when no process can write to it any more.
 * What is in `prev` at the next change is carried into the new rings (carry.c).
 */
#include <errno.h>
#include <stdlib.h>

#include "server/rings.h"
#include "server/root.h"
#include "server/shm.h"
#include "server/timebase.h"

static struct abi_ring_ref ref_load(const struct abi_ring_ref *shared)
{
	return (struct abi_ring_ref) {
		.off = shm_load(&shared->off),
		.bytes = shm_load(&shared->bytes),
	};
}

static void ref_store(struct abi_ring_ref *shared, struct abi_ring_ref ref)
{
	shm_store(&shared->bytes, ref.bytes);
	shm_store(&shared->off, ref.off);
}

static void count_retired(struct instance *instance, uint64_t lost)
{
	uint64_t *word = &instance->abi->retired_lost;

	shm_store(word, shm_load(word) + lost);
}

/* The old ring of this place goes, with what is still in it. */
static void drop_prev(struct instance *instance, uint32_t cpu, int kind,
		      uint32_t generation)
{
	struct abi_ring_ref *prev = &instance->abi->prev[cpu][kind];
	struct abi_ring_ref ref = ref_load(prev);

	if (!ref.off)
		return;
	ref_store(prev, (struct abi_ring_ref) { 0, 0 });
	arena_free(instance->root, &ref, generation);
}

void instance_drop_rings(struct instance *instance)
{
	struct root *root = instance->root;
	uint32_t generation = shm_load(&root->control->generation) + 1;

	for (uint32_t cpu = 0; cpu < root->nr_cpus; cpu++) {
		for (int kind = 0; kind < ABI_RING_KINDS; kind++) {
			struct abi_ring_ref *ring = &instance->abi->ring[cpu][kind];
			struct abi_ring_ref ref = ref_load(ring);

			drop_prev(instance, cpu, kind, generation);
			ref_store(ring, (struct abi_ring_ref) { 0, 0 });
			arena_free(root, &ref, generation);
		}
	}
	instance->rings_serial++;
}

/* Put the plan's rings in place of those that are there. */
static void plan_use(struct instance *instance, const struct ring_plan *plan)
{
	struct abi_buffer *abi = instance->abi;
	/* The one in which this change will be known. */
	uint32_t generation =
		shm_load(&instance->root->control->generation) + 1;

	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++) {
		for (int kind = 0; kind < ABI_RING_KINDS; kind++) {
			struct abi_ring_ref old = ref_load(&abi->ring[cpu][kind]);

			if (!plan->ref[cpu][kind].off)
				continue;
			drop_prev(instance, cpu, kind, generation);
			if (plan->is_keeping)
				ref_store(&abi->prev[cpu][kind], old);
			else
				arena_free(instance->root, &old, generation);
			ref_store(&abi->ring[cpu][kind], plan->ref[cpu][kind]);
		}
	}
	instance->rings_serial++;
}

static int replace(struct instance *instance, int cpu, const uint64_t *cpu_kb,
		   bool has_to_keep)
{
	struct ring_plan *plan = calloc(1, sizeof(*plan));
	int r;

	if (!plan)
		return -ENOMEM;
	plan->cpu = cpu;
	plan->cpu_kb = cpu_kb;
	plan->is_keeping = has_to_keep;
	r = ring_plan_make(instance, plan);
	if (!r)
		plan_use(instance, plan);
	free(plan);
	return r ? r : instance_sync(instance);
}

/* Would rings of that size have room at all? */
static bool is_size_possible(const struct root *root, const uint64_t *cpu_kb)
{
	uint64_t room_kb = (root->map_bytes - root->arena_off) / 1024;

	for (uint32_t cpu = 0; cpu < root->nr_cpus; cpu++) {
		if (cpu_kb[cpu] > room_kb)
			return false;
		room_kb -= cpu_kb[cpu];
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
		r = replace(instance, cpu, cpu_kb, true);
		if (r)
			return r;
	}
	for (uint32_t i = 0; i < root->nr_cpus; i++)
		shm_store(&instance->abi->cpu_kb[i], cpu_kb[i]);
	return 0;
}

/* New rings, as the buffer now says, and nothing in them. */
static int rebuild(struct instance *instance)
{
	uint64_t cpu_kb[ABI_CPUS];
	int r;

	if (!instance_has_rings(instance))
		return 0;
	for (uint32_t i = 0; i < instance->root->nr_cpus; i++)
		cpu_kb[i] = shm_load(&instance->abi->cpu_kb[i]);
	r = replace(instance, CPU_ALL, cpu_kb, false);
	if (!r)
		shm_store(&instance->abi->time_start, timebase_now(instance));
	return r;
}

int instance_set_clock(struct instance *instance, uint32_t row)
{
	uint32_t old = shm_load(&instance->abi->clock);
	int r;

	/* To choose the same again empties the buffer, too. */
	if (row == old) {
		instance_clear(instance, CPU_ALL);
		return 0;
	}
	shm_store(&instance->abi->clock, row);
	r = rebuild(instance);
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
	r = rebuild(instance);
	if (r)
		shm_store(&instance->abi->page_bytes, old);
	return r;
}

void instance_clear(struct instance *instance, int cpu)
{
	if (instance_sync(instance))
		return;
	for (uint32_t i = 0; i < instance->nr_rings; i++) {
		struct instance_ring *ring = &instance->rings[i];

		if (!ring->map || (cpu != CPU_ALL && ring->cpu != (uint32_t)cpu))
			continue;
		ring_clear(&ring->view);
	}
	instance->rings_serial++;
	if (cpu == CPU_ALL)
		shm_store(&instance->abi->time_start, timebase_now(instance));
	instance_retire(instance);
}

void instance_retire(struct instance *instance)
{
	struct root *root = instance->root;
	uint32_t generation = shm_load(&root->control->generation);

	if (!apply_is_settled(root, generation) || instance_sync(instance))
		return;
	for (uint32_t i = 0; i < instance->nr_rings; i++) {
		struct instance_ring *ring = &instance->rings[i];
		struct instance_ring *heir = ring + ABI_RING_KINDS;
		struct ring_stats old = { 0 }, new = { 0 };

		if (!ring->is_prev || !ring->ref.off)
			continue;
		if (ring->map)
			ring_stats(&ring->view, &old);
		if (heir->map)
			ring_stats(&heir->view, &new);
		/* It goes when it is its turn to be overwritten. */
		if (old.entries &&
		    (!new.overrun || new.oldest_ns < old.oldest_ns))
			continue;
		count_retired(instance, old.entries);
		drop_prev(instance, ring->cpu, ring->kind, generation);
	}
	instance_sync(instance);
	arena_reap(root);
}
