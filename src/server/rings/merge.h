/* SPDX-License-Identifier: MIT */
/*
 * Read all rings of one CPU, or of all CPUs, as one stream of records in order of time.
 * struct merge is such a stream.  How a consuming reader uses it:
 *
 *	merge_start(merge);
 *	while (merge_peek(merge, &record) > 0 && the buffer has space)
 *		merge_advance(merge);
 *	merge_stage(merge);
 *	merge_offer(merge, ticket);
 *	hand the bytes to the reader
 *	merge_consume(merge);
 */
#ifndef ULF_SERVER_MERGE_H
#define ULF_SERVER_MERGE_H

#include <stdbool.h>
#include <stdint.h>

#include "server/rings/rings.h"

struct merge;

struct merge_record {
	uint64_t time;			/* time of the record, in the unit of the
					 * instance's clock */
	const uint8_t *data;
	uint32_t bytes;			/* number of bytes at @data */
	uint32_t cpu;
	uint64_t lost;			/* number of records of the same ring that were
					 * lost directly before this record */
};

/*
 * merge_new - open a stream of the rings @which of @instance
 * @cpu: a CPU, or CPU_ALL
 * @is_consuming: if true, the stream has no end, and consumed records are removed from the
 *   rings.  If false, the stream ends where the rings end now, and merge_extend() continues it
 *
 * @instance must outlive the stream.  Returns 0 or -errno.
 */
int merge_new(struct instance *instance, enum rings which, int cpu,
	      bool is_consuming, struct merge **ret_merge);
/* Free @merge.  Its staged records stay in the rings for the next reader.  @merge may
 * be NULL. */
void merge_free(struct merge *merge);

/*
 * Begin a batch of records.  Returns 0 or -errno.  Returns 1 if, since the last batch,
 * other readers have consumed records or the rings were replaced.  In this case, records
 * that were peeked but not consumed are returned again.
 */
int merge_start(struct merge *merge);
/*
 * Extend a stream that is not consuming by the records that were written after its end.
 * Returns false if there are none, or if the rings were replaced.  Also returns false
 * once if records were lost before the stream could read them.
 */
bool merge_extend(struct merge *merge);
/* Get the next record of the stream.  Returns 1, or 0 if there is no record (yet).  The
 * record is valid until merge_advance() or merge_start(). */
int merge_peek(struct merge *merge, struct merge_record *ret_record);
/*
 * Get the next record of @cpu (or of any CPU: CPU_ALL) after the one that merge_peek()
 * has returned.  Returns 1, or 0 if there is no such record (yet).  The record is valid
 * until merge_advance() or merge_start().
 */
int merge_peek_second(struct merge *merge, int cpu,
		      struct merge_record *ret_record);
/* Go to the next record of the stream.  Call this function only after merge_peek() has
 * returned 1. */
void merge_advance(struct merge *merge);
/*
 * Report lost records that merge_record.lost cannot report, because their ring has no
 * record after them.  Returns the number of records that one such ring has lost, and
 * stores its CPU in *@ret_cpu.  Returns 0 if there is no such ring.  The next
 * merge_consume() marks the loss as reported.
 */
uint64_t merge_next_lost(struct merge *merge, uint32_t *ret_cpu);
/* Return true if merge_next_lost() has a loss to report. */
bool merge_has_lost(const struct merge *merge);

/*
 * How the records that merge_advance() has passed are handed over:
 *
 * merge_stage()	The records belong to this stream and wait for the reader.
 *			If something else needs the rings meanwhile, the stream gives
 *			its records up (merge_give_up()).
 * merge_offer()	From now on the reader may get the records.  If the server is
 *			killed now, the records are in doubt, unless the receipt of
 *			@ticket (server/rings/receipt.h) says whether the reader got
 *			them.
 * merge_withdraw()	The reader has got nothing yet.  The records stay staged.
 * merge_consume()	The reader has the records: remove them from the rings.
 *			Allowed without merge_stage() and merge_offer().
 * merge_give_up()	The reader has got some of the records, or it is unknown what
 *			it has got: the records are in doubt.
 * merge_return()	The reader got nothing of the records of the last
 *			merge_consume(), or not all of them (@is_partial).  Put the
 *			records back if no stream has consumed any since; otherwise,
 *			or if @is_partial, they are in doubt.
 *
 * Records in doubt are not delivered again.  The next LOST line of their CPU counts them.
 */
void merge_stage(struct merge *merge);
void merge_offer(struct merge *merge, uint64_t ticket);
void merge_withdraw(struct merge *merge);
void merge_consume(struct merge *merge);
void merge_give_up(struct merge *merge);
void merge_return(struct merge *merge, bool is_partial);
/* Return true if the stream has staged records: from merge_stage() until they are handed
 * over or given up. */
bool merge_is_staged(const struct merge *merge);
/* Return true if, since merge_start(), other readers have consumed records or the rings
 * were replaced. */
bool merge_is_stale(const struct merge *merge);
/* Call merge_give_up() for every stream of @instance with staged records.  Must be called
 * before the rings of @instance change. */
void merge_settle_all(struct instance *instance);

#endif
