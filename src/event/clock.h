/* SPDX-License-Identifier: MIT */
/*
 * The clocks that trace_clock offers.  abi_buffer.clock is the number of a row of this
 * table, so a row must never move.  Depends on libc alone: the runtime uses it, too.
 */
#ifndef EVENT_CLOCK_H
#define EVENT_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum clock_kind {
	CLOCK_KIND_TSC_NS,	/* time of CLOCK_MONOTONIC in ns, computed from the TSC */
	CLOCK_KIND_TSC_RAW,	/* the count of the TSC, not scaled */
	/* The code that appends a record reads one of the following clocks itself, and
	 * passes the time to the ring (ABI_RING_CLOCK_GIVEN). */
	CLOCK_KIND_POSIX,	/* clock_gettime(id) */
	CLOCK_KIND_COUNTER,	/* counts up by 1 each time it is read */
	CLOCK_KIND_PERF,	/* clock_gettime(id) + abi_control.perf_ns */
};

struct clock_row {
	const char *name;
	enum clock_kind kind;
	clockid_t id;		/* POSIX and PERF: the clock to read; TSC: the clock to
				 * read instead if the TSC cannot be used */
	uint32_t ns;		/* nanoseconds per unit of the clock; 1: times print as
				 * seconds, else as plain numbers */
	const char *help;
};

extern const struct clock_row clock_table[];
extern const size_t clock_table_rows;
/* Returns row @nth in the kernel's order, for lists that users see.  @nth must be below
 * clock_table_rows. */
const struct clock_row *clock_nth(size_t nth);

/* Returns row @row, or row 0 if there is no such row. */
const struct clock_row *clock_get(uint32_t row);
/* Returns the number of the row with that name, or -EINVAL. */
int clock_find(const char *name);
/* Returns true if the clock counts ns, so that times print as seconds. */
static inline bool clock_is_in_ns(const struct clock_row *row)
{
	return row->ns == 1;
}
/* Returns the time of a POSIX clock in ns, or 0 if there is no such clock. */
uint64_t clock_posix_ns(clockid_t id);
/*
 * Returns the time for a ring with ABI_RING_CLOCK_GIVEN.
 * @control: the root's control block.  It may be NULL unless the row's kind is COUNTER or
 * PERF.
 */
struct abi_control;
uint64_t clock_read(const struct clock_row *row, struct abi_control *control);

#endif
