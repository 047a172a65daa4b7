/* SPDX-License-Identifier: MIT */
/* The members of struct merge, which merge.c and merge_deliver.c share.  merge.c reads
 * records, merge_deliver.c hands them over to readers. */
#ifndef ULF_SERVER_MERGE_IMPL_H
#define ULF_SERVER_MERGE_IMPL_H

#include <sys/queue.h>

#include "server/rings/merge.h"

/* One ring that a struct merge reads. */
struct source {
	struct ring_cursor cursor;
	struct mapping *map;		/* mapping of the ring; the source holds a
					 * reference, so that the ring stays mapped */
	uint32_t cpu;
	uint64_t end;			/* index of the first record that does not belong to
					 * the stream any more (ring_cursor.entries) */
	bool is_begun;			/* true: the stream has read at least one record
					 * of this ring */
	bool has_moved;			/* true: since the last merge_consume(), the
					 * stream has passed records of this ring, or a
					 * loss */
	bool is_offered;		/* true: ring_cursor_offer() was called for the
					 * records that the stream has passed */
	bool was_consumed;		/* true: the last merge_consume() has removed
					 * records from this ring */
	struct abi_ring_read after;	/* the state of reading (struct abi_ring_read)
					 * that the ring had after the last
					 * merge_consume() */
	struct ring_record record;	/* the next record of the ring; valid while the
					 * source is in merge.heap */
	uint64_t lost;			/* number of records of this ring that were lost
					 * directly before @record */
};

struct merge {
	LIST_ENTRY(merge) staged;	/* link in the list instance_rings.staged, if
					 * @is_staged */
	bool is_staged;
	struct instance *instance;
	enum rings which;
	int cpu;			/* CPU_ALL: all CPUs */
	bool is_consuming;
	bool is_open;			/* true: the rings are open, that is, @sources and
					 * @heap are allocated */
	bool has_lost;			/* true: records were lost before the stream could
					 * read them */
	bool has_ended;			/* true: the last merge_extend() returned false
					 * because records were lost (@has_lost) */
	uint64_t rings_serial, reads_serial;	/* values that instance_rings.rings_serial and
						 * instance_rings.reads_serial had when the
						 * rings were opened */
	uint64_t horizon;		/* horizon: the stream returns only records up to
					 * this time; younger records must wait for the
					 * next batch */
	struct source *sources;
	uint32_t nr_sources;
	uint32_t *heap;			/* indices of those sources that have a record;
					 * the source with the oldest record comes first */
	uint32_t nr_heap;
};

/* ---- functions that are defined in merge_deliver.c ---- */

/* Remove @merge from the list instance_rings.staged of streams with staged records, and
 * withdraw its offers. */
void merge_unstage(struct merge *merge);
/*
 * Call merge_give_up() for other streams that have staged records of rings that @merge
 * reads.  Otherwise two readers could get the same records.
 */
void merge_settle_others(struct merge *merge);

#endif
