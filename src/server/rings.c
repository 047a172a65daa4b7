/* SPDX-License-Identifier: MIT */
/* The rings of an instance as they are: mapping, making, counting. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "event/clock.h"
#include "server/mapping.h"
#include "server/options.h"
#include "server/rings.h"
#include "server/root.h"
#include "server/shm.h"
#include "server/timebase.h"

#define DEFAULT_KB		1408	/* the kernel's */
#define DEFAULT_PERCENT		50
#define SLOW_PAGES_MIN		16
#define MAPPED_BYTES_MAX	(1ull << 40)	/* a root; address space is finite */

void instance_set_defaults(struct instance *instance)
{
	struct abi_buffer *abi = instance->abi;

	if (!shm_load(&abi->page_bytes))
		shm_store(&abi->percent, DEFAULT_PERCENT);
	/* Those who paused it went with the last server. */
	shm_store(&abi->paused, 0);
	if (!ring_bytes(shm_load(&abi->page_bytes), 2))
		shm_store(&abi->page_bytes, ABI_PAGE_BYTES_MIN);
	if (shm_load(&abi->clock) >= clock_table_rows)
		shm_store(&abi->clock, 0);
	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++)
		if (!shm_load(&abi->cpu_kb[cpu]))
			shm_store(&abi->cpu_kb[cpu], DEFAULT_KB);
}

static void ring_close(struct instance_ring *ring)
{
	mapping_put(ring->map);
	ring->map = NULL;
}

static void ring_open(struct instance *instance, struct instance_ring *ring)
{
	struct root *root = instance->root;

	if (!arena_has(root, &ring->ref) || ring->ref.bytes > MAPPED_BYTES_MAX)
		return;
	if (mapping_new(root->fd, ring->ref.off, ring->ref.bytes, &ring->map))
		return;
	if (ring_view_init(&ring->view, ring->map->addr, ring->ref.bytes) ||
	    ring->view.cpu != ring->cpu)
		ring_close(ring);
}

/* What is in shared memory may have changed into nonsense. */
uint32_t instance_page_bytes(const struct instance *instance)
{
	uint32_t bytes = shm_load(&instance->abi->page_bytes);

	return ring_bytes(bytes, 2) ? bytes : ABI_PAGE_BYTES_MIN;
}

/* The rows of instance->rings, in the order in which the merge breaks ties. */
static int rings_alloc(struct instance *instance)
{
	uint32_t nr = instance->root->nr_cpus * ABI_RING_KINDS * 2;
	struct instance_ring *ring;

	if (instance->rings)
		return 0;
	ring = calloc(nr, sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	instance->rings = ring;
	instance->nr_rings = nr;
	for (uint32_t i = 0; i < nr; i++, ring++) {
		ring->cpu = i / (ABI_RING_KINDS * 2);
		ring->is_prev = i % (ABI_RING_KINDS * 2) < ABI_RING_KINDS;
		ring->kind = i % ABI_RING_KINDS;
	}
	return 0;
}

int instance_sync(struct instance *instance)
{
	int r = rings_alloc(instance);

	if (r)
		return r;
	for (uint32_t i = 0; i < instance->nr_rings; i++) {
		struct instance_ring *ring = &instance->rings[i];
		const struct abi_ring_ref *shared = ring->is_prev ?
			&instance->abi->prev[ring->cpu][ring->kind] :
			&instance->abi->ring[ring->cpu][ring->kind];
		struct abi_ring_ref ref = {
			.off = shm_load(&shared->off),
			.bytes = shm_load(&shared->bytes),
		};

		if (ring->map && ring->map->is_lost)
			instance->root->memory->is_lost = true;
		if (ref.off == ring->ref.off && ref.bytes == ring->ref.bytes)
			continue;
		ring_close(ring);
		ring->ref = ref;
		ring_open(instance, ring);
		instance->rings_serial++;
	}
	return 0;
}

void instance_done(struct instance *instance)
{
	for (uint32_t i = 0; i < instance->nr_rings; i++)
		ring_close(&instance->rings[i]);
	free(instance->rings);
	instance->rings = NULL;
	instance->nr_rings = 0;
}

bool instance_has_rings(const struct instance *instance)
{
	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++)
		for (int kind = 0; kind < ABI_RING_KINDS; kind++)
			if (shm_load(&instance->abi->ring[cpu][kind].off))
				return true;
	return false;
}

struct instance_ring *instance_ring(struct instance *instance, uint32_t cpu,
				    enum abi_ring_kind kind)
{
	struct instance_ring *ring;

	if (cpu >= instance->root->nr_cpus || instance_sync(instance))
		return NULL;
	ring = &instance->rings[(cpu * 2 + 1) * ABI_RING_KINDS + kind];
	return ring->map ? ring : NULL;
}

static uint64_t nr_pages_of(const struct instance *instance, uint64_t kb)
{
	uint64_t data = instance_page_bytes(instance) - ABI_PAGE_HEADER;
	uint64_t nr = kb > UINT64_MAX >> 11 ? UINT64_MAX / data :
		      (kb * 1024 + data - 1) / data;

	return nr < 2 ? 2 : nr;
}

uint64_t instance_size_kb(const struct instance *instance, uint32_t cpu)
{
	uint64_t data = instance_page_bytes(instance) - ABI_PAGE_HEADER;
	uint64_t nr = nr_pages_of(instance, shm_load(&instance->abi->cpu_kb[cpu]));

	return nr * data / 1024;
}

/* Records go to the fast ring if there is rseq, else all to the slow one. */
static uint64_t kind_pages(const struct instance *instance, uint64_t kb,
			   enum abi_ring_kind kind)
{
	bool has_rseq = shm_load(&instance->root->control->has_rseq);
	uint64_t nr = nr_pages_of(instance, kb);

	if ((kind == ABI_RING_FAST) == has_rseq)
		return nr;
	if (kind == ABI_RING_FAST)
		return 2;
	return nr / 8 > SLOW_PAGES_MIN ? nr / 8 : SLOW_PAGES_MIN;
}

/* Where each ring lies from the plan's start; 0 if that is beyond all bounds. */
static uint64_t plan_layout(const struct instance *instance,
			    struct ring_plan *plan)
{
	uint32_t page_bytes = instance_page_bytes(instance);
	uint64_t total = 0;

	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++) {
		for (int kind = 0; kind < ABI_RING_KINDS; kind++) {
			struct abi_ring_ref *ref = &plan->ref[cpu][kind];
			uint64_t nr = kind_pages(instance, plan->cpu_kb[cpu], kind);

			*ref = (struct abi_ring_ref) { 0, 0 };
			if (plan->cpu != CPU_ALL && (uint32_t)plan->cpu != cpu)
				continue;
			if (nr > UINT32_MAX)
				return 0;
			ref->off = total;
			ref->bytes = ring_bytes(page_bytes, (uint32_t)nr);
			if (!ref->bytes || ref->bytes > instance->root->map_bytes)
				return 0;
			total += ABI_PAGE_ALIGN(ref->bytes);
		}
	}
	return total;
}

static int plan_init_ring(struct instance *instance, const struct ring_plan *plan,
			  const struct ring_config *config,
			  enum abi_ring_kind kind, void *to)
{
	uint32_t row = config->cpu * 2 * ABI_RING_KINDS + kind;
	const struct instance_ring *prev = &instance->rings[row];

	if (plan->is_keeping && prev->map)
		return ring_carry(&prev->view, config, to);
	return ring_init(to, config);
}

static int plan_init(struct instance *instance, struct ring_plan *plan,
		     char *base, uint64_t off)
{
	struct ring_config config = {
		.page_bytes = instance_page_bytes(instance),
		.overwrite = instance_options(instance) & OPTION_OVERWRITE,
		.is_paused = true,	/* the first writer asks */
	};
	int r = 0;

	timebase_config(instance, &config);
	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++) {
		for (int kind = 0; kind < ABI_RING_KINDS; kind++) {
			struct abi_ring_ref *ref = &plan->ref[cpu][kind];

			if (!ref->bytes)
				continue;
			config.cpu = cpu;
			config.nr_pages = (uint32_t)kind_pages(instance,
				plan->cpu_kb[cpu], kind);
			config.flags &= ~(uint32_t)ABI_RING_LOCKED;
			if (kind == ABI_RING_SLOW)
				config.flags |= ABI_RING_LOCKED;
			if (!r)
				r = plan_init_ring(instance, plan, &config,
						   kind, base + ref->off);
			ref->off += off;
		}
	}
	return r;
}

int ring_plan_make(struct instance *instance, struct ring_plan *plan)
{
	struct root *root = instance->root;
	uint64_t bytes = plan_layout(instance, plan);
	struct mapping *map;
	struct abi_ring_ref all;
	uint64_t off;
	int r = instance_sync(instance);

	if (r || !bytes)
		return r ? r : -ENOMEM;
	r = arena_alloc(root, bytes, &off);
	if (r)
		return r;
	all = (struct abi_ring_ref) { off, bytes };
	r = mapping_new(root->fd, off, bytes, &map);
	if (!r) {
		r = plan_init(instance, plan, map->addr, off);
		if (map->is_lost)
			r = -EIO;
		mapping_put(map);
	}
	if (r)
		arena_free(root, &all, shm_load(&root->control->generation));
	return r;
}

int instance_need_rings(struct instance *instance)
{
	struct ring_plan *plan;
	uint64_t cpu_kb[ABI_CPUS];
	int r;

	if (instance_has_rings(instance))
		return 0;
	plan = calloc(1, sizeof(*plan));
	if (!plan)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++)
		cpu_kb[cpu] = shm_load(&instance->abi->cpu_kb[cpu]);
	plan->cpu = CPU_ALL;
	plan->cpu_kb = cpu_kb;
	r = ring_plan_make(instance, plan);
	for (uint32_t cpu = 0; !r && cpu < instance->root->nr_cpus; cpu++) {
		for (int kind = 0; kind < ABI_RING_KINDS; kind++) {
			struct abi_ring_ref *ref = &instance->abi->ring[cpu][kind];

			shm_store(&ref->bytes, plan->ref[cpu][kind].bytes);
			shm_store(&ref->off, plan->ref[cpu][kind].off);
		}
	}
	if (!r)
		shm_store(&instance->abi->used, 1);
	free(plan);
	return r ? r : instance_sync(instance);
}

void instance_stats(struct instance *instance, int cpu, struct ring_stats *ret_stats)
{
	struct ring_stats sum = { 0 };

	if (!instance_sync(instance)) {
		for (uint32_t i = 0; i < instance->nr_rings; i++) {
			struct instance_ring *ring = &instance->rings[i];
			struct ring_stats one;

			if (!ring->map ||
			    (cpu != CPU_ALL && ring->cpu != (uint32_t)cpu) ||
			    ring_stats(&ring->view, &one))
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
	}
	*ret_stats = sum;
}

uint64_t instance_unread_bytes(struct instance *instance, int cpu)
{
	uint64_t sum = 0;

	if (instance_sync(instance))
		return 0;
	for (uint32_t i = 0; i < instance->nr_rings; i++) {
		struct instance_ring *ring = &instance->rings[i];

		if (ring->map && (cpu == CPU_ALL || ring->cpu == (uint32_t)cpu))
			sum += ring_unread_bytes(&ring->view);
	}
	return sum;
}

bool instance_is_filled(struct instance *instance, int cpu)
{
	uint32_t percent = shm_load(&instance->abi->percent);

	if (instance_sync(instance))
		return false;
	for (uint32_t i = 0; i < instance->nr_rings; i++) {
		struct instance_ring *ring = &instance->rings[i];
		struct ring_stats stats;

		if (ring->map && ring->cpu == (uint32_t)cpu &&
		    !ring_stats(&ring->view, &stats) && stats.entries &&
		    stats.pages * 100 >= (uint64_t)percent * ring->view.nr_pages)
			return true;
	}
	return false;
}
