/* SPDX-License-Identifier: MIT */
/* Make new rings for an instance: compute sizes, allocate and initialise the rings. */
#include <errno.h>
#include <stdlib.h>

#include "server/core/arena.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/option_bits.h"
#include "server/core/root.h"
#include "server/core/shm.h"
#include "server/core/timebase.h"
#include "server/rings/rings.h"

#define SLOW_PAGES_MIN	16	/* minimum number of pages of a CPU's slow ring, if most
				 * records go to the fast ring */
#define ONLY_PAGES_MIN	3	/* minimum number of pages of a CPU's slow ring, if it
				 * gets all records; small records need 2, but a record
				 * that fills a page needs one more (docs/design/ring.md) */

static uint64_t nr_pages_of(uint32_t page_bytes, uint64_t kb)
{
	uint64_t data = page_bytes - ABI_PAGE_HEADER;
	uint64_t nr = kb > UINT64_MAX >> 11 ? UINT64_MAX / data :
		      (kb * 1024 + data - 1) / data;

	return nr < 2 ? 2 : nr;
}

uint64_t instance_size_kb(const struct instance *instance, uint32_t cpu)
{
	uint32_t page_bytes = instance_page_bytes(instance);
	uint64_t nr = nr_pages_of(page_bytes, shm_load(&instance->abi->cpu_kb[cpu]));

	return nr * (page_bytes - ABI_PAGE_HEADER) / 1024;
}

/* Return the number of pages that a ring of @kind gets.  With rseq, most records go to
 * the fast ring; without rseq, all records go to the slow ring. */
static uint64_t kind_pages(const struct instance *instance,
			   const struct ring_plan *plan, uint64_t kb,
			   enum abi_ring_kind kind)
{
	bool has_rseq = shm_load(&instance->root->control->has_rseq);
	uint64_t nr = nr_pages_of(plan->page_bytes, kb);

	if (kind == ABI_RING_LATE)
		return nr;
	if (kind == ABI_RING_FAST)
		return has_rseq ? nr : 2;
	if (!has_rseq)
		return nr > ONLY_PAGES_MIN ? nr : ONLY_PAGES_MIN;
	return nr / 8 > SLOW_PAGES_MIN ? nr / 8 : SLOW_PAGES_MIN;
}

static uint64_t size_of(const struct instance *instance,
			const struct ring_plan *plan, uint32_t cpu)
{
	return plan->cpu_kb ? plan->cpu_kb[cpu] :
			      shm_load(&instance->abi->cpu_kb[cpu]);
}

/*
 * Compute the offsets of the rings of a CPU, relative to the start of the memory that all
 * rings of @plan share.  *@total is the offset at which they begin; it is set to the
 * offset of their end.
 */
static int lay_out(const struct instance *instance, struct ring_plan *plan,
		   uint32_t side, uint32_t cpu, uint64_t *total)
{
	uint64_t kb = size_of(instance, plan, cpu);

	for (int kind = 0; kind < ABI_RING_KINDS; kind++) {
		struct abi_ring_ref *ref = &plan->ref[side][cpu][kind];
		uint64_t nr = kind_pages(instance, plan, kb, kind);

		if (!(plan->kinds >> kind & 1))
			continue;
		if (nr > UINT32_MAX)
			return -ENOMEM;
		plan->nr_pages[side][cpu][kind] = (uint32_t)nr;
		ref->off = *total;
		ref->bytes = ring_bytes(plan->page_bytes, (uint32_t)nr);
		if (!ref->bytes || ref->bytes > instance->root->map_bytes)
			return -ENOMEM;
		*total += ABI_PAGE_ALIGN(ref->bytes);
	}
	return 0;
}

static bool plan_has(const struct ring_plan *plan, uint32_t side, uint32_t cpu)
{
	return plan->cpus[side][cpu / 64] >> cpu % 64 & 1;
}

static int lay_out_all(const struct instance *instance, struct ring_plan *plan,
		       uint64_t *total)
{
	int r = 0;

	*total = 0;
	for (uint32_t side = 0; side < ABI_SIDES; side++)
		for (uint32_t cpu = 0; !r && cpu < instance->root->nr_cpus; cpu++)
			if (plan_has(plan, side, cpu))
				r = lay_out(instance, plan, side, cpu, total);
	return r;
}

/* Initialise the new ring at @to.  If plan->is_keeping is true and there is a `prev`
 * ring, copy the records of the `prev` ring into the new ring (ring_carry()). */
static int ring_make(struct instance *instance, const struct ring_plan *plan,
		     const struct ring_config *config, uint32_t side, enum abi_ring_kind kind,
		     void *to)
{
	struct instance_ring *ring;

	for_each_ring(ring, instance, RINGS_ALL, (int)config->cpu)
		if (plan->is_keeping && ring->is_prev && ring->side == side && ring->kind == kind)
			return ring_carry(&ring->view, config, to);
	return ring_init(to, config);
}

/* Return the flags that a ring of @kind has in addition to those of the clock. */
static uint32_t kind_flags(enum abi_ring_kind kind)
{
	static const uint32_t flags[ABI_RING_KINDS] = {
		[ABI_RING_SLOW] = ABI_RING_LOCKED,
		[ABI_RING_LATE] = ABI_RING_LOCKED | ABI_RING_CLOCK_GIVEN,
	};

	return flags[kind];
}

static int make_cpu(struct instance *instance, struct ring_plan *plan,
		    const struct ring_config *of_cpu, uint32_t side, char *base,
		    uint64_t off)
{
	int r = 0;

	for (int kind = 0; !r && kind < ABI_RING_KINDS; kind++) {
		struct abi_ring_ref *ref = &plan->ref[side][of_cpu->cpu][kind];
		struct ring_config config = *of_cpu;

		if (!ref->bytes)
			continue;
		config.nr_pages = plan->nr_pages[side][of_cpu->cpu][kind];
		config.flags |= kind_flags(kind);
		r = ring_make(instance, plan, &config, side, kind, base + ref->off);
		ref->off += off;
	}
	return r;
}

static int make_all(struct instance *instance, struct ring_plan *plan,
		    char *base, uint64_t off)
{
	struct ring_config config = {
		.page_bytes = plan->page_bytes,
		.overwrite = instance_options(instance) & OPTION_OVERWRITE,
		.is_paused = true,	/* a new ring has recording off, and its first
					 * writer turns recording on */
	};
	int r = 0;

	timebase_config(instance, &config);
	for (uint32_t side = 0; side < ABI_SIDES; side++) {
		for (uint32_t cpu = 0; !r && cpu < instance->root->nr_cpus; cpu++) {
			config.cpu = cpu;
			if (plan_has(plan, side, cpu))
				r = make_cpu(instance, plan, &config, side, base,
					     off);
		}
	}
	return r;
}

/* Reserve space in the file `memory` for the references to the instance's rings
 * (abi_side). */
static int reserve_refs(const struct instance *instance)
{
	struct abi_side *sides = instance->abi->side;
	struct root *root = instance->root;
	uint64_t bytes = root->nr_cpus * sizeof(sides->ring[0]);
	int r = 0;

	for (uint32_t side = 0; !r && side < ABI_SIDES; side++) {
		r = root_reserve(root, sides[side].ring, bytes);
		if (!r)
			r = root_reserve(root, sides[side].prev, bytes);
	}
	return r;
}

/* Return the kinds of rings that the instance has now, as a mask for ring_plan.kinds. */
static uint32_t kinds_of(const struct instance *instance)
{
	uint32_t usual = 1u << ABI_RING_FAST | 1u << ABI_RING_SLOW;

	return instance_has_late(instance) ? usual | 1u << ABI_RING_LATE : usual;
}

int ring_plan_make(struct instance *instance, struct ring_plan *plan)
{
	struct root *root = instance->root;
	uint64_t bytes, off;
	struct mapping *map;
	struct abi_ring_ref all;
	int r;

	plan->page_bytes = instance_page_bytes(instance);
	if (!plan->kinds)
		plan->kinds = kinds_of(instance);
	r = lay_out_all(instance, plan, &bytes);
	if (!r)
		r = reserve_refs(instance);
	if (!r)
		r = arena_alloc(root, bytes, &off);
	if (r)
		return r;
	all = (struct abi_ring_ref){ off, bytes };
	r = mapping_new(root->fd, off, bytes, &map);
	if (!r) {
		r = make_all(instance, plan, map->addr, off);
		if (map->is_lost)
			r = -EIO;
		mapping_put(map);
	}
	if (r)
		arena_free(root, &all, shm_load(&root->control->generation));
	return r;
}

/* Make rings for each CPU, on the main side if @is_main is true, else on the spare side. */
static int make_sides(struct instance *instance, bool is_main)
{
	struct ring_plan *plan = calloc(1, sizeof(*plan));
	int r;

	if (!plan)
		return -ENOMEM;
	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++) {
		uint32_t side = abi_main_side(instance->abi, cpu);

		ring_plan_add(plan, is_main ? side : !side, cpu);
	}
	r = ring_plan_make(instance, plan);
	if (!r) {
		/*
		 * Set abi_buffer.used before the references to the rings are stored,
		 * because processes and arena.c ignore the references of a buffer that
		 * is not used.
		 */
		shm_store(&instance->abi->used, 1);	/* [buffer.used] */
		ring_plan_use(instance, plan);
	}
	free(plan);
	return r ? r : instance_sync(instance);
}

int instance_need_rings(struct instance *instance)
{
	return instance_has_rings(instance) ? 0 : make_sides(instance, true);
}

/* Return true if the side @side has a ring of @cpu. */
static bool has_ring(const struct instance *instance, uint32_t side, uint32_t cpu)
{
	return shm_load(&instance->abi->side[side].ring[cpu][ABI_RING_FAST].off);
}

static int make_late(struct instance *instance)
{
	struct ring_plan *plan = calloc(1, sizeof(*plan));
	int r;

	if (!plan)
		return -ENOMEM;
	plan->kinds = 1u << ABI_RING_LATE;
	for (uint32_t cpu = 0; cpu < instance->root->nr_cpus; cpu++)
		for (uint32_t side = 0; side < ABI_SIDES; side++)
			if (has_ring(instance, side, cpu))
				ring_plan_add(plan, side, cpu);
	r = ring_plan_make(instance, plan);
	if (!r)
		ring_plan_use(instance, plan);
	free(plan);
	return r ? r : instance_sync(instance);
}

int instance_need_late(struct instance *instance)
{
	int r = instance_need_rings(instance);

	return r || instance_has_late(instance) ? r : make_late(instance);
}

/*
 * Make the rings of the spare side, and then set ABI_SPARE_THERE.  Before this flag is
 * set, no process swaps sides.  So the side for which the rings are made stays the
 * spare side.
 */
int instance_need_spare(struct instance *instance)
{
	int r;

	if (instance_has_spare(instance))
		return 0;
	r = instance_need_rings(instance);
	if (!r)
		r = make_sides(instance, false);
	if (!r)
		__atomic_or_fetch(&instance->abi->spare, ABI_SPARE_THERE,
				  __ATOMIC_RELEASE);	/* [switch.spare] */
	return r;
}
