/* SPDX-License-Identifier: MIT */
/* A merge from the inside: merge.c reads, merge_deliver.c hands over. */
#ifndef ULF_SERVER_MERGE_IMPL_H
#define ULF_SERVER_MERGE_IMPL_H

#include <sys/queue.h>

#include "server/rings/merge.h"

struct source {
	struct ring_cursor cursor;
	struct mapping *map;		/* keeps the ring's memory */
	uint32_t cpu;
	uint64_t end;			/* entries at which it ends */
	bool is_begun;
	bool has_moved;			/* since the last consume */
	bool is_offered;		/* ring_cursor_offer() */
	bool was_consumed;		/* by the last consume, which set ... */
	struct abi_ring_read after;
	struct ring_record record;	/* peeked, while it is in the heap */
	uint64_t lost;
};

struct merge {
	LIST_ENTRY(merge) staged;	/* in instance->staged, if is_staged */
	bool is_staged;
	struct instance *instance;
	enum rings which;
	int cpu;
	bool is_consuming;
	bool is_open;			/* sources are set up */
	bool has_lost;			/* records that a reader would have got */
	bool has_ended;			/* merge_extend() was false because of that */
	uint64_t rings_serial, reads_serial;
	uint64_t horizon;
	struct source *sources;
	uint32_t nr_sources;
	uint32_t *heap;			/* numbers of sources that have a record */
	uint32_t nr_heap;
};

/* merge_deliver.c */

/* Forget that it is staged; what it offers is withdrawn. */
void merge_unstage(struct merge *merge);
/* Put in doubt what others have staged of the rings that @merge reads: two readers
 * must not get the same records. */
void merge_settle_others(struct merge *merge);

#endif
