/* SPDX-License-Identifier: MIT */
/*
 * The clocks that trace_clock offers.  abi_buffer.clock is a row of this table, so
 * rows keep their place for ever.
 * Depends on libc alone: the runtime uses it too.
 */
#ifndef EVENT_CLOCK_H
#define EVENT_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum clock_kind {
	CLOCK_KIND_TSC_NS,	/* TSC, scaled to CLOCK_MONOTONIC's ns */
	CLOCK_KIND_TSC_RAW,	/* TSC as it is */
	/* rings with CLOCK_GIVEN: */
	CLOCK_KIND_POSIX,	/* clock_gettime(id) */
	CLOCK_KIND_COUNTER,	/* one more each time */
	CLOCK_KIND_PERF,	/* clock_gettime(id), and abi_control.perf_ns */
};

struct clock_row {
	const char *name;
	enum clock_kind kind;
	clockid_t id;		/* of a POSIX clock; else what stands in when
				 * there is no usable TSC */
	uint32_t ns;		/* that make one; 1 prints as seconds, all else
				 * as a plain number */
	const char *help;
};

extern const struct clock_row clock_table[];
extern const size_t clock_table_rows;
/* The same rows in the kernel's order, for whoever shows them. */
const struct clock_row *clock_nth(size_t nth);

/* The row, or row 0 for a number that is none. */
const struct clock_row *clock_get(uint32_t row);
/* Its number, or -EINVAL. */
int clock_find(const char *name);
static inline bool clock_is_in_ns(const struct clock_row *row)
{
	return row->ns == 1;
}
/* Of a POSIX clock, in ns. */
uint64_t clock_posix_ns(clockid_t id);
/* The time to give to a ring that has no clock of its own.  @control: the root's; it may
 * be NULL for a row that keeps nothing there. */
struct abi_control;
uint64_t clock_read(const struct clock_row *row, struct abi_control *control);

#endif
