/* SPDX-License-Identifier: MIT */
/*
 * The rings of an instance: made when something is first to be recorded,
 * replaced when their size or clock changes, emptied.
 */
#ifndef ULF_SERVER_RINGS_H
#define ULF_SERVER_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"
#include "ring/ring.h"

struct server_root_info;
struct instance;
struct mapping;
struct root;

#define CPU_ALL		(-1)

/* A ring that the server has mapped; map NULL: none, or one that is no ring. */
struct instance_ring {
	struct abi_ring_ref ref;
	struct mapping *map;
	struct ring_view view;
	uint32_t cpu;
	uint32_t side;
	enum abi_ring_kind kind;
	bool is_prev;
	uint32_t stuck;			/* the thread that did not let go of its
					 * lock when we waited for it, or 0 */
};

/* Which of them: those that are recorded to, the snapshot, or all. */
enum rings {
	RINGS_MAIN,
	RINGS_SNAPSHOT,
	RINGS_ALL,
};

/* ---- rings.c ---- */

/* Give a new buffer its settings; leaves one that has some alone. */
void instance_set_defaults(struct instance *instance);
/* Follow the references in shared memory: map what is new. */
int instance_sync(struct instance *instance);
/* instance_part.load: give a new buffer its settings, and free a spare side that the last
 * server was about to free. */
int instance_load_rings(struct instance *instance);
void instance_done(struct instance *instance);
/* instance_part.add_info */
void instance_add_info(struct instance *instance, struct server_root_info *info);
/* root_part.prepare: make rings for trace_printk(), if the program may use it. */
int printk_rings_prepare(struct root *root);
bool instance_has_rings(const struct instance *instance);
/* The ring that is recorded to, or NULL. */
struct instance_ring *instance_ring(struct instance *instance, uint32_t cpu,
				    enum abi_ring_kind kind);
/* Those of @cpu (or all) that are there, the old before the new; the first one
 * after NULL. */
struct instance_ring *instance_next_ring(struct instance *instance,
					 enum rings which, int cpu,
					 struct instance_ring *after);
#define for_each_ring(ring, instance, which, cpu)			\
	for ((ring) = instance_next_ring(instance, which, cpu, NULL); (ring); \
	     (ring) = instance_next_ring(instance, which, cpu, ring))
/* Bytes of a sub-buffer. */
uint32_t instance_page_bytes(const struct instance *instance);
/* The size that buffer_size_kb shows. */
uint64_t instance_size_kb(const struct instance *instance, uint32_t cpu);

/* The sums that `stats` and the header of `trace` show; @cpu may be CPU_ALL. */
void instance_stats(struct instance *instance, enum rings which, int cpu,
		    struct ring_stats *ret_stats);

/* Of the records there are.  Looks at every page. */
uint64_t instance_unread_bytes(struct instance *instance, int cpu);
/* Is there a record in a ring of @cpu? */
bool instance_has_entries(struct instance *instance, int cpu);
/* Is there as much in a ring of @cpu as poll() waits for?  See buffer_percent. */
bool instance_is_filled(struct instance *instance, int cpu);

/* ---- resize.c ---- */

/* What is recorded stays readable. */
int instance_resize(struct instance *instance, int cpu, uint64_t kb);
/* What is recorded goes: its times are of another clock. */
int instance_set_clock(struct instance *instance, uint32_t row);
/* What is recorded goes, unless they have that size already. */
int instance_set_page_bytes(struct instance *instance, uint32_t bytes);
void instance_clear(struct instance *instance, enum rings which, int cpu);
/* Give back all of them, with what was recorded. */
void instance_drop_rings(struct instance *instance);
/* Give back the other side, with the snapshot.  The processes are to be told. */
void instance_free_spare(struct instance *instance);
/* Put new rings in the place of those that are there. */
struct ring_plan;
void ring_plan_use(struct instance *instance, const struct ring_plan *plan);
/* Give back rings of before a resize that nobody needs any more. */
void instance_retire(struct instance *instance);

/* ---- ring_plan.c ---- */

/* New rings with the wanted sizes and clock, not yet in use.  What says how large they
 * are is in shared memory, and looked at once. */
struct ring_plan {
	uint64_t cpus[ABI_SIDES][ABI_CPUS / 64];	/* that are to have some */
	const uint64_t *cpu_kb;		/* [nr_cpus]; NULL: as they are */
	bool is_keeping;		/* what is in the old rings' old rings */
	uint32_t page_bytes;
	uint32_t nr_pages[ABI_SIDES][ABI_CPUS][ABI_RING_KINDS];
	struct abi_ring_ref ref[ABI_SIDES][ABI_CPUS][ABI_RING_KINDS];
};

static inline void ring_plan_add(struct ring_plan *plan, uint32_t side, uint32_t cpu)
{
	plan->cpus[side][cpu / 64] |= 1ull << cpu % 64;
}
int ring_plan_make(struct instance *instance, struct ring_plan *plan);
/* Make rings for all CPUs if there are none. */
int instance_need_rings(struct instance *instance);
/* Make the other side, for snapshots, if there is none.  The processes are to be
 * told. */
int instance_need_spare(struct instance *instance);

/* ---- snapshot.c ---- */

/* Has it both sides? */
bool instance_has_spare(const struct instance *instance);
/* What is recorded to becomes the snapshot, and what was that is recorded to; of
 * one CPU, or all.  It must have both sides. */
void instance_swap(struct instance *instance, int cpu);
/* instance_part.tick: retire old rings, and make a spare side that a program asked for. */
void instance_tick_rings(struct instance *instance);
/* A program may have asked for the other side. */
void instance_answer_spare(struct instance *instance);

/* ---- carry.c ---- */

/* Make a ring in @to, mapped and zeroed, with the records of @from in it, or
 * as many of the newest as it has room for.  -ENOMEM. */
int ring_carry(const struct ring_view *from, const struct ring_config *config,
	       void *to);

#endif
