/* SPDX-License-Identifier: MIT */
/* The rings of an instance: map them, iterate over them, and count records. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "event/clock.h"
#include "server/core/arena.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/now.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/core/shm.h"
#include "server/rings/rings.h"

#define DEFAULT_KB		1408	/* default size of the rings of a CPU in KiB, as
					 * in the kernel */
#define DEFAULT_PERCENT		50
#define ROWS_OF_SIDE		(ABI_RING_KINDS * 2)	/* number of rows for the rings of a CPU
							 * on one side: an old and a new ring of
							 * each kind */
#define ROWS_OF_CPU		(ROWS_OF_SIDE * ABI_SIDES)
#define MAPPED_MIN		1024u	/* least number of mapped rings that mapped_max()
					 * allows, for machines with few CPUs */
#define OPENS_NS		100000000u	/* time in which the server maps at most
						 * mapped_max() rings of a root, ns */
#define MAPPED_BYTES_MAX	(1ull << 40)	/* maximum size of a ring that the server
						 * maps, because its address space is
						 * limited */

void instance_set_defaults(struct instance *instance)
{
	struct abi_buffer *abi = instance->abi;

	if (!shm_load(&abi->page_bytes))
		shm_store(&abi->percent, DEFAULT_PERCENT);
	/* End the pauses that the previous server has left, because its clients, which
	 * had paused recording, are gone. */
	shm_store(&abi->paused, 0);
	if (!ring_bytes(shm_load(&abi->page_bytes), 2))
		shm_store(&abi->page_bytes, ABI_PAGE_BYTES_MIN);
	if (shm_load(&abi->clock) >= clock_table_rows)
		shm_store(&abi->clock, 0);
	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++)
		if (!shm_load(&abi->cpu_kb[cpu]))
			shm_store(&abi->cpu_kb[cpu], DEFAULT_KB);
}

static void ring_close(struct instance *instance, struct instance_ring *ring)
{
	if (ring->map)
		root_rings(instance->root)->nr_mapped--;
	mapping_put(ring->map);
	ring->map = NULL;
}

/*
 * Return how many rings the server may map for one root.  The kernel allows about
 * 65,000 mappings per process, and all roots share them.  The limit depends on the
 * number of CPUs of this machine, not on the number of CPUs in the root's memory, which
 * the program can change.
 */
static uint32_t mapped_max(void)
{
	static uint32_t max;
	long cpus;

	if (!max) {
		cpus = sysconf(_SC_NPROCESSORS_CONF);
		max = ABI_BUFFERS * ROWS_OF_CPU * (cpus > 0 ? (uint32_t)cpus : 1);
		max = max > MAPPED_MIN ? max : MAPPED_MIN;
	}
	return max;
}

/*
 * Raise root_rings.opens_left, the number of rings that the server may map for @root.
 * In each OPENS_NS this number grows by mapped_max(), but not above mapped_max().
 * Without this limit, a root whose rings move all the time would keep the server busy
 * with mapping rings.
 */
static void refill_opens(struct root *root)
{
	struct root_rings *limits = root_rings(root);
	uint64_t now = server_now_ns();
	uint64_t refill = (now - limits->opens_ns) / (OPENS_NS / mapped_max());
	uint64_t left = limits->opens_left + refill;

	if (!refill)
		return;
	limits->opens_ns = now;
	limits->opens_left = left < mapped_max() ? (uint32_t)left : mapped_max();
}

static void ring_open(struct instance *instance, struct instance_ring *ring)
{
	struct root *root = instance->root;
	struct root_rings *limits = root_rings(root);

	if (!arena_has(root, &ring->ref) || ring->ref.bytes > MAPPED_BYTES_MAX ||
	    limits->nr_mapped >= mapped_max())
		return;
	if (mapping_new(root->fd, ring->ref.off, ring->ref.bytes, &ring->map))
		return;
	limits->nr_mapped++;
	if (ring_view_init(&ring->view, ring->map->addr, ring->ref.bytes) ||
	    ring->view.cpu != ring->cpu)
		ring_close(instance, ring);
}

/* Return the size of a sub-buffer in bytes.  If the size in shared memory is invalid,
 * because the program has overwritten it, return the smallest size. */
uint32_t instance_page_bytes(const struct instance *instance)
{
	uint32_t bytes = shm_load(&instance->abi->page_bytes);

	return ring_bytes(bytes, 2) ? bytes : ABI_PAGE_BYTES_MIN;
}

/*
 * Allocate instance_rings.rings.  The order in this array matters for records with
 * equal times: a stream returns the record whose ring comes first in the array.
 */
static int rings_alloc(struct instance *instance)
{
	struct instance_rings *rings = instance_rings(instance);
	uint32_t nr = instance->root->nr_cpus * ROWS_OF_CPU;
	struct instance_ring *ring;

	if (rings->rings)
		return 0;
	ring = calloc(nr, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	rings->rings = ring;
	rings->nr_rings = nr;
	for (uint32_t i = 0; i < nr; i++, ring++) {
		ring->cpu = i / ROWS_OF_CPU;
		ring->side = i / ROWS_OF_SIDE % ABI_SIDES;
		ring->is_prev = i % ROWS_OF_SIDE < ABI_RING_KINDS;
		ring->kind = i % ABI_RING_KINDS;
	}
	return 0;
}

/* Update instance_rings.sides, the main side of each CPU.  This is necessary because any
 * process may swap sides. */
static void sync_sides(struct instance *instance)
{
	struct instance_rings *rings = instance_rings(instance);

	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++) {
		uint64_t *sides = &rings->sides[cpu / 64];
		uint64_t side = abi_main_side(instance->abi, cpu);

		if ((*sides >> cpu % 64 & 1) == side)
			continue;
		*sides ^= 1ull << cpu % 64;
		rings->rings_serial++;
	}
}

static const struct abi_ring_ref *shared_ref(const struct instance *instance,
					     const struct instance_ring *ring)
{
	const struct abi_side *side = &instance->abi->side[ring->side];

	return ring->is_prev ? &side->prev[ring->cpu][ring->kind] :
			       &side->ring[ring->cpu][ring->kind];
}

int instance_sync(struct instance *instance)
{
	struct instance_rings *rings = instance_rings(instance);
	struct root *root = instance->root;
	struct root_rings *limits = root_rings(root);
	bool has_refilled = false;
	int r = rings_alloc(instance);

	if (r)
		return r;
	sync_sides(instance);
	for (uint32_t i = 0; i < rings->nr_rings; i++) {
		struct instance_ring *ring = &rings->rings[i];
		const struct abi_ring_ref *shared = shared_ref(instance, ring);
		struct abi_ring_ref ref = {
			.off = shm_load(&shared->off),
			.bytes = shm_load(&shared->bytes),
		};

		if (ring->map && ring->map->is_lost)
			root->memory->is_lost = true;
		if (ref.off == ring->ref.off && ref.bytes == ring->ref.bytes)
			continue;
		if (ref.off && !has_refilled)
			refill_opens(root);
		has_refilled |= ref.off != 0;
		if (ref.off && !limits->opens_left)
			continue;	/* skip this ring: the next instance_sync() tries
					 * again to map it */
		limits->opens_left -= ref.off != 0;
		ring_close(instance, ring);
		ring->ref = ref;
		ring_open(instance, ring);
		rings->rings_serial++;
	}
	return 0;
}

void instance_done(struct instance *instance)
{
	struct instance_rings *rings = instance_rings(instance);

	for (uint32_t i = 0; i < rings->nr_rings; i++)
		ring_close(instance, &rings->rings[i]);
	free(rings->rings);
	rings->rings = NULL;
	rings->nr_rings = 0;
}

static bool has_kind(const struct instance *instance, int kind)
{
	const struct abi_side *sides = instance->abi->side;

	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++)
		if (shm_load(&sides[0].ring[cpu][kind].off) ||
		    shm_load(&sides[1].ring[cpu][kind].off))
			return true;
	return false;
}

bool instance_has_rings(const struct instance *instance)
{
	for (int kind = 0; kind < ABI_RING_KINDS; kind++)
		if (has_kind(instance, kind))
			return true;
	return false;
}

bool instance_has_late(const struct instance *instance)
{
	return has_kind(instance, ABI_RING_LATE);
}

/* Return true if @ring belonged to the main side when sync_sides() was last called. */
static bool is_main(const struct instance *instance,
		    const struct instance_ring *ring)
{
	return (instance_rings(instance)->sides[ring->cpu / 64] >> ring->cpu % 64 & 1) ==
	       ring->side;
}

struct instance_ring *instance_next_ring(struct instance *instance,
					 enum rings which, int cpu,
					 struct instance_ring *after)
{
	const struct instance_rings *rings = instance_rings(instance);
	struct instance_ring *ring = after ? after + 1 : NULL;

	if (!after) {
		if (instance_sync(instance))
			return NULL;
		ring = rings->rings;
	}
	for (; ring < rings->rings + rings->nr_rings; ring++) {
		if (ring->map && (cpu == CPU_ALL || ring->cpu == (uint32_t)cpu) &&
		    (which == RINGS_ALL ||
		     is_main(instance, ring) == (which == RINGS_MAIN)))
			return ring;
	}
	return NULL;
}

struct instance_ring *instance_ring(struct instance *instance, uint32_t cpu,
				    enum abi_ring_kind kind)
{
	struct instance_ring *ring;

	for_each_ring(ring, instance, RINGS_MAIN, (int)cpu)
		if (!ring->is_prev && ring->kind == kind)
			return ring;
	return NULL;
}

void instance_stats(struct instance *instance, enum rings which, int cpu,
		    struct ring_stats *ret_stats)
{
	struct ring_stats sum = { 0 }, one;
	struct instance_ring *ring;

	for_each_ring(ring, instance, which, cpu) {
		if (ring_stats(&ring->view, &one))
			continue;
		sum.entries += one.entries;
		sum.overrun += one.overrun;
		sum.dropped += one.dropped;
		sum.read += one.read;
		sum.pages += one.pages;
		if (one.oldest_ns && (!sum.oldest_ns ||
				      one.oldest_ns < sum.oldest_ns))
			sum.oldest_ns = one.oldest_ns;
	}
	*ret_stats = sum;
}

uint64_t instance_unread_bytes(struct instance *instance, int cpu)
{
	struct instance_ring *ring;
	uint64_t sum = 0;

	for_each_ring(ring, instance, RINGS_MAIN, cpu)
		sum += ring_unread_bytes(&ring->view);
	return sum;
}

bool instance_has_entries(struct instance *instance, int cpu)
{
	struct instance_ring *ring;
	struct ring_stats stats;

	for_each_ring(ring, instance, RINGS_MAIN, cpu)
		if (!ring_stats(&ring->view, &stats) && stats.entries)
			return true;
	return false;
}

bool instance_is_filled(struct instance *instance, int cpu)
{
	uint32_t percent = shm_load(&instance->abi->percent);
	struct instance_ring *ring;
	struct ring_stats stats;

	for_each_ring(ring, instance, RINGS_MAIN, cpu)
		if (!ring_stats(&ring->view, &stats) && stats.entries &&
		    stats.pages * 100 >= (uint64_t)percent * ring->view.nr_pages)
			return true;
	return false;
}

void instance_add_info(struct instance *instance, struct server_root_info *info)
{
	struct ring_stats stats;

	instance_stats(instance, RINGS_MAIN, CPU_ALL, &stats);
	info->entries += stats.entries;
	info->bytes += instance_unread_bytes(instance, CPU_ALL);
	info->overruns += stats.overrun + stats.dropped +
			  shm_load(&instance->abi->lock_lost);
}
