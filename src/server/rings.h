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
	enum abi_ring_kind kind;
	bool is_prev;
};

/* ---- rings.c ---- */

/* Give a new buffer its settings; leaves one that has some alone. */
void instance_set_defaults(struct instance *instance);
/* Follow the references in shared memory: map what is new. */
int instance_sync(struct instance *instance);
void instance_done(struct instance *instance);
bool instance_has_rings(const struct instance *instance);
/* The ring, or NULL. */
struct instance_ring *instance_ring(struct instance *instance, uint32_t cpu,
				    enum abi_ring_kind kind);
/* Make rings for all CPUs if there are none. */
int instance_need_rings(struct instance *instance);
/* Bytes of a sub-buffer. */
uint32_t instance_page_bytes(const struct instance *instance);
/* The size that buffer_size_kb shows. */
uint64_t instance_size_kb(const struct instance *instance, uint32_t cpu);

/* The sums that `stats` and the header of `trace` show; @cpu may be CPU_ALL. */
void instance_stats(struct instance *instance, int cpu, struct ring_stats *ret_stats);

/* Of the records there are.  Looks at every page. */
uint64_t instance_unread_bytes(struct instance *instance, int cpu);
/* Is there as much in a ring of @cpu as poll() waits for?  See buffer_percent. */
bool instance_is_filled(struct instance *instance, int cpu);

/* ---- resize.c ---- */

/* What is recorded stays readable. */
int instance_resize(struct instance *instance, int cpu, uint64_t kb);
/* What is recorded goes: its times are of another clock. */
int instance_set_clock(struct instance *instance, uint32_t row);
/* What is recorded goes, unless they have that size already. */
int instance_set_page_bytes(struct instance *instance, uint32_t bytes);
void instance_clear(struct instance *instance, int cpu);
/* Give back all of them, with what was recorded. */
void instance_drop_rings(struct instance *instance);
/* Give back rings of before a resize that nobody needs any more. */
void instance_retire(struct instance *instance);

/* New rings of @cpu (or all) with the wanted sizes and clock, not yet in use. */
struct ring_plan {
	int cpu;
	const uint64_t *cpu_kb;		/* [nr_cpus] */
	bool is_keeping;		/* what is in the old rings' old rings */
	struct abi_ring_ref ref[ABI_CPUS][ABI_RING_KINDS];
};
int ring_plan_make(struct instance *instance, struct ring_plan *plan);

/* ---- carry.c ---- */

/* Make a ring in @to, mapped and zeroed, with the records of @from in it, or
 * as many of the newest as it has room for.  -ENOMEM. */
int ring_carry(const struct ring_view *from, const struct ring_config *config,
	       void *to);

/* ---- arena.c ---- */

/* A piece of zeroes in the file.  -ENOMEM, -ENOSPC. */
int arena_alloc(struct root *root, uint64_t bytes, uint64_t *ret_off);
/* Give it back once every live process has applied @generation. */
void arena_free(struct root *root, const struct abi_ring_ref *ref,
		uint32_t generation);
/* Give back what has become free. */
void arena_reap(struct root *root);
/* Does @ref lie in the arena? */
bool arena_has(const struct root *root, const struct abi_ring_ref *ref);

#endif
