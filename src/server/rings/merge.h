/* SPDX-License-Identifier: MIT */
/*
 * All rings of a CPU, or of all CPUs, as one stream in order of time.
 *
 *	merge_start(merge);
 *	while (merge_peek(merge, &record) > 0 && there is room)
 *		merge_advance(merge);
 *	merge_stage(merge);
 *	merge_offer(merge, ticket);
 *	the reader is handed the bytes
 *	merge_consume(merge);
 */
#ifndef ULF_SERVER_MERGE_H
#define ULF_SERVER_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "server/rings/rings.h"

struct merge;

struct merge_record {
	uint64_t time;
	const uint8_t *data;
	uint32_t bytes;
	uint32_t cpu;
	uint64_t lost;			/* overrun before it */
};

/* @is_consuming: goes on with what comes later, and takes out what it read.
 * Else it ends where the rings end now, and merge_extend() lets it go on.  The
 * instance must outlive it. */
int merge_new(struct instance *instance, enum rings which, int cpu,
	      bool is_consuming, struct merge **ret_merge);
void merge_free(struct merge *merge);

/* Begin a batch.  1: records were taken out, or rings replaced, by others
 * since the last batch, and what was peeked but not consumed comes again;
 * else 0 or -ENOMEM. */
int merge_start(struct merge *merge);
/* Go on, if not consuming, with the records that came since.  false: there are none,
 * or the rings were replaced; or, once, records were lost since: the writers are faster
 * than the reader. */
bool merge_extend(struct merge *merge);
/* 1 and the next record, valid until merge_advance() or merge_start();
 * 0: none (yet). */
int merge_peek(struct merge *merge, struct merge_record *ret_record);
/* After that: the record behind it, of @cpu or any; valid as long. */
int merge_peek_second(struct merge *merge, int cpu,
		      struct merge_record *ret_record);
void merge_advance(struct merge *merge);
/* The next ring that has lost records and has none (yet) that would say so: how
 * many, and its CPU.  They count as reported with what is consumed next.
 * 0: no ring. */
uint64_t merge_next_lost(struct merge *merge, uint32_t *ret_cpu);
/* Is there such a ring? */
bool merge_has_lost(const struct merge *merge);

/*
 * Handing over all that was advanced over:
 *
 * merge_stage()	it is in the hands of this merge and waits to be handed
 *			over.  If something else needs the rings meanwhile the
 *			records are in doubt, as by merge_give_up().
 * merge_offer()	from here on the reader may get it: a server that is
 *			killed now leaves it in doubt, unless the receipt of
 *			@ticket (server/rings/receipt.h) says more.
 * merge_withdraw()	the reader has got nothing of it yet; still staged.
 * merge_consume()	the reader has it: take it out.  Needs none of the others
 *			before it.
 * merge_give_up()	the reader has some of it and will not get the rest.
 * merge_return()	the reader of the last merge_consume() has got nothing
 *			(@is_partial: not all) of it.  Put it back if nothing
 *			was consumed since, else it is in doubt.
 *
 * Records in doubt are not given again; the next LOST line of their CPU counts
 * them.  merge_free() of what is staged leaves it to the next reader.
 */
void merge_stage(struct merge *merge);
void merge_offer(struct merge *merge, uint64_t ticket);
void merge_withdraw(struct merge *merge);
void merge_consume(struct merge *merge);
void merge_give_up(struct merge *merge);
void merge_return(struct merge *merge, bool is_partial);
bool merge_is_staged(const struct merge *merge);
/* Has something else taken out records since merge_start()? */
bool merge_is_stale(const struct merge *merge);
/* Put in doubt what is staged by any merge of @instance: its rings will change. */
void merge_settle_all(struct instance *instance);

#endif
