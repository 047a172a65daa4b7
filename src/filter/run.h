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
/* Limit of the bytes that are read of a string outside of the record; the rest is
 * ignored. */
#define FILTER_POINTER_MAX	1024

/* Values that a filter needs and that are not in the record. */
struct filter_context {
	uint32_t cpu;
	uint32_t tid;			/* id of this thread, needed to read the
					 * thread's own memory */
	/* Stores the name of the thread, cut or padded with NULs to its size.  NULL: no
	 * comparison with a name is true.  Called only if a filter uses the name; must be
	 * safe in signal handlers. */
	void (*get_comm)(char ret_comm[FILTER_COMM_LEN]);
};

/*
 * Check that the program at @blob is safe to run on records with at least
 * @record_fixed_bytes bytes.  The bytes must be 8-aligned, and no other process may
 * change them: copy them from shared memory first.
 * Returns 0 or -EINVAL.
 */
int filter_verify(const void *blob, size_t bytes, uint32_t record_fixed_bytes);

/*
 * Returns true if the record passes the filter @p, which must be verified.  If the
 * record's word for a string or mask points outside of the record, or the string's
 * address is not readable, the predicate is false, also for `!=`, as in the kernel.
 */
bool filter_match(const struct filter_program *p, const void *rec, size_t bytes,
		  const struct filter_context *ctx);

/*
 * Run the filter from instruction @at to its end.  @bytes must be p->record_bytes or
 * more.
 * Returns p->nr_insns (drop the record) or p->nr_insns + 1 (keep it).
 */
uint32_t filter_run_on(const struct filter_program *p, const void *rec,
		       size_t bytes, const struct filter_context *ctx,
		       uint32_t at);

#endif
