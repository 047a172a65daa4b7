/* SPDX-License-Identifier: MIT */
/*
 * Run compiled filters (abi/filter.h) in the traced program.  These functions take no
 * lock, allocate nothing and do not change errno; signal handlers may call them.
 */
#ifndef FILTER_RUN_H
#define FILTER_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/filter.h"

#define FILTER_COMM_LEN		16
/* Maximum number of bytes that a filter reads of a string outside of the record.  The rest of
 * the string is ignored. */
#define FILTER_POINTER_MAX	1024

/* Values that a filter needs and that are not in the record. */
struct filter_context {
	uint32_t cpu;
	uint32_t tid;			/* id of the thread that runs the filter; needed to
					 * read a string from the memory of its process */
	/* Callback that stores the name of the thread, cut or padded with NULs to
	 * FILTER_COMM_LEN.  NULL: no comparison with a name is true.  The callback is
	 * called only if a filter uses the name, and must be safe in signal handlers. */
	void (*get_comm)(char ret_comm[FILTER_COMM_LEN]);
};

/*
 * Check that the program at @blob is safe to run on records with at least
 * @record_fixed_bytes bytes.  The program must be 8-aligned.  No other process may be
 * able to change it, so the caller must copy it from shared memory first.
 * Returns 0 or -EINVAL.
 */
int filter_verify(const void *blob, size_t bytes, uint32_t record_fixed_bytes);

/*
 * Returns true if the record passes the filter @p, which must be verified.  A predicate is
 * false, even with `!=`, in two cases: the record's word for a string or mask points outside
 * of the record; or the string's address is not readable.  The kernel does the same.
 */
bool filter_match(const struct filter_program *p, const void *rec, size_t bytes,
		  const struct filter_context *ctx);

/*
 * Run the filter from instruction @at to its end.  @bytes must be p->record_bytes or more.
 * Returns p->nr_insns (drop the record) or p->nr_insns + 1 (keep the record).
 */
uint32_t filter_run_on(const struct filter_program *p, const void *rec,
		       size_t bytes, const struct filter_context *ctx,
		       uint32_t at);

#endif
