/* SPDX-License-Identifier: MIT */
/*
 * Running a compiled filter (abi/filter.h), in the traced program: no lock, no
 * allocation, errno untouched; a signal handler may do it.
 */
#ifndef FILTER_RUN_H
#define FILTER_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abi/filter.h"

#define FILTER_COMM_LEN		16
/* Of a string that a record only points to; the rest is not looked at. */
#define FILTER_POINTER_MAX	1024

/* What is not in the record. */
struct filter_context {
	uint32_t cpu;
	uint32_t tid;			/* this thread: its memory is read */
	/* The thread's name, cut or padded with NUL; may be NULL: no match.
	 * Called only if a filter asks, from signal handlers too. */
	void (*get_comm)(char ret_comm[FILTER_COMM_LEN]);
};

/*
 * May these bytes be run on records of an event whose fixed part is
 * `record_fixed_bytes` long? 0, or -EINVAL. The bytes must be 8-aligned and
 * nobody else's to write: take a copy of shared memory first.
 */
int filter_verify(const void *blob, size_t bytes, uint32_t record_fixed_bytes);

/*
 * Does the record pass? `p` has been verified. A string that is not where the
 * record says is a question answered with no, also by `!=`, as in the kernel.
 */
bool filter_match(const struct filter_program *p, const void *rec, size_t bytes,
		  const struct filter_context *ctx);

/* The same in steps: from instruction @at on to an end, p->nr_insns if the record
 * is dropped.  It is p->record_bytes long or more. */
uint32_t filter_run_on(const struct filter_program *p, const void *rec,
		       size_t bytes, const struct filter_context *ctx,
		       uint32_t at);

#endif
