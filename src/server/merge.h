/* SPDX-License-Identifier: MIT */
/*
 * All rings of a CPU, or of all CPUs, as one stream in order of time.
 *
 *	merge_start(merge);
 *	while (merge_peek(merge, &record) > 0 && there is room)
 *		merge_advance(merge);
 *	merge_consume(merge);
 */
#ifndef ULF_SERVER_MERGE_H
#define ULF_SERVER_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "server/rings.h"

struct merge;

struct merge_record {
	uint64_t time;
	const uint8_t *data;
	uint32_t bytes;
	uint32_t cpu;
	uint64_t lost;			/* overrun before it */
};

/* @is_consuming: goes on with what comes later, and takes out what it read.
 * Else it ends where the rings end now.  The instance must outlive it. */
int merge_new(struct instance *instance, enum rings which, int cpu,
	      bool is_consuming, struct merge **ret_merge);
void merge_free(struct merge *merge);

/* Begin a batch.  1: records were taken out, or rings replaced, by others
 * since the last batch, and what was peeked but not consumed comes again;
 * else 0 or -ENOMEM. */
int merge_start(struct merge *merge);
/* 1 and the next record, valid until merge_advance() or merge_start();
 * 0: none (yet). */
int merge_peek(struct merge *merge, struct merge_record *ret_record);
/* After that: the record behind it, of @cpu or any; valid as long. */
int merge_peek_second(struct merge *merge, int cpu,
		      struct merge_record *ret_record);
void merge_advance(struct merge *merge);
/* Take out all that was advanced over. */
void merge_consume(struct merge *merge);

#endif
