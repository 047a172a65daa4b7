/* SPDX-License-Identifier: MIT */
/*
 * The clocks that trace_clock offers: one row each, in clock.c.  abi_buffer.clock holds the
 * number of a row.  Depends on libc alone: the runtime uses it, too.
 */
#ifndef EVENT_CLOCK_H
#define EVENT_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/posix_clock.h"

struct abi_clock;
struct abi_control;

/* A row of the table of clocks.  The methods run in programs and in the server.  They take no
 * lock and do not sleep; a signal handler may call them. */
struct clock_row {
	const char *name;
	/*
	 * Return the current time, for a record whose ring does not compute the time itself
	 * (see @ring).
	 * @control: the root's control block; NULL is allowed only for row number 0
	 */
	uint64_t (*read)(const struct clock_row *row, struct abi_control *control);
	/* Optional: return the time that the next record would get.  NULL: @read is called
	 * instead, and must then not change any state. */
	uint64_t (*peek)(const struct clock_row *row, struct abi_control *control);
	/*
	 * Optional: set *@ret_scale to the numbers with which a ring computes the time
	 * from the TSC: ns0 + ((TSC - tsc0) * mult >> 32).
	 * @base: the root's time base, which gives nanoseconds; its mult is 0 if the
	 *	TSC cannot be used.
	 * Returns false if the ring cannot compute this clock's time.  In this case, and if
	 * the method is NULL, the ring does not read the clock (ABI_RING_CLOCK_GIVEN): the
	 * code that appends a record calls @read and passes the time.
	 */
	bool (*ring)(const struct abi_clock *base, struct abi_clock *ret_scale);
	clockid_t id;		/* the clock of the operating system that @read reads */
	bool is_ns;		/* true: the clock counts ns, and times print as
				 * seconds; false: times print as plain numbers */
	bool is_tsc;		/* true: the clock is the count of the TSC, not
				 * scaled */
	bool has_offset;	/* true: @read adds abi_control.perf_ns, an offset that the server
				 * measures once a second while a buffer uses this clock.  If the
				 * server cannot measure the offset, trace_clock does not offer
				 * this clock */
	const char *help;	/* text in README */
};

/* The clocks by number. */
extern const struct clock_row clock_table[];
extern const size_t clock_table_rows;
/* Returns row @nth in the kernel's order, for lists that users see.  @nth must be below
 * clock_table_rows. */
const struct clock_row *clock_nth(size_t nth);

/* Returns the row of the clock with this number, or row 0 if there is no such clock. */
const struct clock_row *clock_get(uint32_t number);
/* Returns the number of the clock with the name @name, or -EINVAL. */
int clock_find(const char *name);
/* Returns true if the clock counts ns, so that times print as seconds. */
static inline bool clock_is_in_ns(const struct clock_row *row)
{
	return row->is_ns;
}
/* Returns the current time, for a record in a ring with ABI_RING_CLOCK_GIVEN.
 * @control: see clock_row.read. */
static inline uint64_t clock_read(const struct clock_row *row, struct abi_control *control)
{
	return row->read(row, control);
}

#endif
