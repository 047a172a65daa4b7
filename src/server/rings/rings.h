/* SPDX-License-Identifier: MIT */
/*
 * The rings of an instance.  The server makes them before the first record can be written,
 * and replaces them when their size, page size or clock changes.
 *
 * Only the server's thread calls these functions.  Functions that return int return 0
 * or -errno, unless stated otherwise.
 */
#ifndef ULF_SERVER_RINGS_H
#define ULF_SERVER_RINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "abi/control.h"
#include "ring/ring.h"
#include "server/core/apply.h"
#include "server/core/budget.h"
#include "server/core/instance.h"
#include "server/core/root.h"
#include "server/part_numbers.h"

struct mapping;
struct merge;

#define CPU_ALL		(-1)

/* A ring to which shared memory refers, with the server's mapping of it. */
struct instance_ring {
	struct abi_ring_ref ref;	/* offset and size of the ring in the root's
					 * memory, bytes; the offset is 0 if there is no
					 * ring */
	struct mapping *map;		/* mapping of the ring; NULL if there is no ring,
					 * or if it is invalid */
	struct ring_view view;
	uint32_t cpu;
	uint32_t side;
	enum abi_ring_kind kind;
	bool is_prev;			/* true: this is the old ring (abi_side.prev),
					 * which was in use before the last change of size */
	uint32_t stuck;			/* owner of the ring's lock when the server last
					 * waited for this lock in vain (marker.c); 0 if the
					 * server has not waited in vain */
};

/* A choice of rings: those of the main side, those of the spare side (snapshot), or all. */
enum rings {
	RINGS_MAIN,
	RINGS_SNAPSHOT,
	RINGS_ALL,
};

/* How many rings of a root the server has mapped, and how many more it may map now.  This
 * is the state of ROOT_PART_RINGS. */
struct root_rings {
	uint32_t nr_mapped;		/* number of rings of the root that the server has
					 * mapped */
	uint32_t opens_left;		/* number of rings of the root that the server may
					 * still map now */
	uint64_t opens_ns;		/* time when @opens_left was last raised,
					 * CLOCK_MONOTONIC */
	struct budget retire_budget;	/* budget of CPU time for instance_retire() */
};

/* The rings of an instance.  This is the state of INSTANCE_PART_RINGS. */
struct instance_rings {
	struct instance_ring *rings;	/* array of @nr_rings rings, one for each reference in
					 * abi_buffer.side */
	uint32_t nr_rings;
	uint64_t sides[ABI_CPUS / 64];	/* bitmap: for each CPU, the number of its main
					 * side (0 or 1) when instance_sync() was last
					 * called */
	uint64_t rings_serial;		/* serial number that changes when rings are
					 * replaced, swapped or cleared */
	uint64_t reads_serial;		/* serial number that changes when records are
					 * consumed */
	LIST_HEAD(, merge) staged;	/* list of the streams that have staged records
					 * (merge_stage()) */
	uint32_t nr_pauses;		/* number of open `trace` files that pause recording */
	struct apply spare_apply;	/* change of settings by which processes get the
					 * spare side for which a program has asked; the
					 * program is answered when all processes have
					 * applied it */
};

/* Return the state of ROOT_PART_RINGS of @root. */
static inline struct root_rings *root_rings(const struct root *root)
{
	return root->part_state[ROOT_PART_RINGS];
}

/* Return the state of INSTANCE_PART_RINGS of @instance. */
static inline struct instance_rings *instance_rings(const struct instance *instance)
{
	return instance->part_state[INSTANCE_PART_RINGS];
}

/* ---- functions that are defined in rings.c ---- */

/* Set the defaults of a new buffer: sizes, clock, buffer_percent.  Settings that the
 * buffer already has are not changed. */
void instance_set_defaults(struct instance *instance);
/*
 * Map the rings to which shared memory refers now, and unmap all other rings.  The number
 * of rings that are mapped in a short time is limited (root_rings.opens_left).  If the
 * limit is reached, a later call maps the other rings.
 */
int instance_sync(struct instance *instance);
/* Method instance_part.load: set the defaults of a new buffer.  If the previous server
 * was about to free the spare side, free it. */
int instance_load_rings(struct instance *instance);
/* Method instance_part.done: unmap all rings and free instance_rings.rings. */
void instance_done(struct instance *instance);
/* Method instance_part.add_info: add to @info how many records can be read, how many
 * bytes they have, and how many records were lost. */
void instance_add_info(struct instance *instance, struct server_root_info *info);
/* Method root_part.prepare: make rings for trace_printk(), if the program possibly uses
 * it. */
int printk_rings_prepare(struct root *root);
/* Return true if @instance has a ring, that is, if shared memory refers to one. */
bool instance_has_rings(const struct instance *instance);
/* Return true if @instance has a late ring, that is, if shared memory refers to one. */
bool instance_has_late(const struct instance *instance);
/* Return the ring of @cpu and @kind to which threads record now; NULL if there is
 * none. */
struct instance_ring *instance_ring(struct instance *instance, uint32_t cpu,
				    enum abi_ring_kind kind);
/*
 * Iterate over the mapped rings of @cpu (or CPU_ALL): return the ring that follows
 * @after, or NULL if there are no more.  If @after is NULL, call instance_sync() and
 * return the first ring.  On each side of a CPU, old rings come before new rings.
 */
struct instance_ring *instance_next_ring(struct instance *instance,
					 enum rings which, int cpu,
					 struct instance_ring *after);
#define for_each_ring(ring, instance, which, cpu)			\
	for ((ring) = instance_next_ring(instance, which, cpu, NULL); (ring); \
	     (ring) = instance_next_ring(instance, which, cpu, ring))
/* Return the size of a sub-buffer of @instance in bytes. */
uint32_t instance_page_bytes(const struct instance *instance);
/* Return the size of a ring of @cpu in KiB, as buffer_size_kb shows it. */
uint64_t instance_size_kb(const struct instance *instance, uint32_t cpu);

/* Get the counters of the rings of @cpu (or CPU_ALL), added up.  The files `stats` and the
 * header of `trace` show them. */
void instance_stats(struct instance *instance, enum rings which, int cpu,
		    struct ring_stats *ret_stats);

/* Return how many bytes the unread records of @cpu (or CPU_ALL) have.  This is slow,
 * because every page of the rings is read. */
uint64_t instance_unread_bytes(struct instance *instance, int cpu);
/* Return true if a ring of @cpu (or CPU_ALL) has a record that was not read yet. */
bool instance_has_entries(struct instance *instance, int cpu);
/*
 * Return true if a ring of @cpu (or CPU_ALL) is filled to buffer_percent, so that
 * poll() need not wait any longer.
 */
bool instance_is_filled(struct instance *instance, int cpu);

/* ---- functions that are defined in resize.c ---- */

/* Set the size of the rings of @cpu (or CPU_ALL) to @kb KiB.  Old records can still be
 * read.  The caller must call apply_start(). */
int instance_resize(struct instance *instance, int cpu, uint64_t kb);
/* Set the clock of @instance to row @row of clock_table.  This clears the buffer, because
 * times of two clocks cannot be compared.  The caller must call apply_start(). */
int instance_set_clock(struct instance *instance, uint32_t row);
/* Set the size of a sub-buffer to @bytes bytes.  If the size changes, this clears the
 * buffer.  The caller must call apply_start(). */
int instance_set_page_bytes(struct instance *instance, uint32_t bytes);
/* Remove all records of @cpu (or CPU_ALL) from the rings @which. */
void instance_clear(struct instance *instance, enum rings which, int cpu);
/* Free all rings of @instance with their records. */
void instance_drop_rings(struct instance *instance);
/*
 * Free the spare side with the snapshot.  The caller must notify the processes with
 * apply_start().
 */
void instance_free_spare(struct instance *instance);
/* Publish the rings of @plan.  If plan->is_keeping is true, the old rings become
 * `prev`; else the old rings are freed. */
struct ring_plan;
void ring_plan_use(struct instance *instance, const struct ring_plan *plan);
/* Free those old rings (`prev`), from before a change of size, that no reader and no
 * writer needs any more. */
void instance_retire(struct instance *instance);

/* ---- functions that are defined in ring_plan.c ---- */

/* New rings that are being made and are not published yet.  The sizes in shared memory
 * may change at any time, so each size is read once and stored in this struct. */
struct ring_plan {
	uint64_t cpus[ABI_SIDES][ABI_CPUS / 64];	/* bitmap of the CPUs that get
							 * rings, for each side */
	const uint64_t *cpu_kb;		/* size of the rings of each CPU in KiB; NULL to
					 * use the sizes in shared memory */
	bool is_keeping;		/* true: no record is lost: the records of `prev`
					 * rings are copied, and the current rings become
					 * `prev` */
	uint32_t kinds;			/* mask of the kinds of rings to make, 1 << kind;
					 * 0 to make the kinds that the instance has */
	uint32_t page_bytes;
	uint32_t nr_pages[ABI_SIDES][ABI_CPUS][ABI_RING_KINDS];
	struct abi_ring_ref ref[ABI_SIDES][ABI_CPUS][ABI_RING_KINDS];
};

/* Add @cpu to those CPUs for which ring_plan_make() makes rings on side @side. */
static inline void ring_plan_add(struct ring_plan *plan, uint32_t side, uint32_t cpu)
{
	plan->cpus[side][cpu / 64] |= 1ull << cpu % 64;
}
/*
 * Allocate and initialise the rings of @plan.  The rings are not published yet.  Sleeps for
 * up to 20 ms if the clock must be calibrated.
 */
int ring_plan_make(struct instance *instance, struct ring_plan *plan);
/* Make rings on the main side for all CPUs, unless the instance has rings. */
int instance_need_rings(struct instance *instance);
/* Make rings as instance_need_rings() does.  Also make late rings on each side that has rings,
 * unless there are some.  The caller must call apply_start(). */
int instance_need_late(struct instance *instance);
/* Make the rings of the spare side, unless there are some.  The caller must call
 * apply_start(). */
int instance_need_spare(struct instance *instance);

/* ---- functions that are defined in snapshot.c ---- */

/* Return true if the buffer has rings on both sides, so that snapshots are possible. */
bool instance_has_spare(const struct instance *instance);
/*
 * Take a snapshot of one CPU (or CPU_ALL): swap the main side and the spare side.  Both
 * sides must have rings.  Does nothing while recording is paused.
 */
void instance_swap(struct instance *instance, int cpu);
/* Method instance_part.tick: free old rings that are no longer needed, and make a spare
 * side if a program has asked for one. */
void instance_tick_rings(struct instance *instance);
/* Make the spare side if the program has asked for one (tracing_alloc_snapshot()). */
void instance_answer_spare(struct instance *instance);

/* ---- function that is defined in carry.c ---- */

/* Initialise a ring at @to, which is mapped and filled with zeroes.  Copy the records of
 * @from into the new ring; if not all fit, copy the newest ones.  Returns 0 or -ENOMEM. */
int ring_carry(const struct ring_view *from, const struct ring_config *config,
	       void *to);

#endif
