/* SPDX-License-Identifier: MIT */
/*
 * The clocks that trace_clock offers.  abi_buffer.clock is a row of this
 * table, so rows keep their place for ever; new ones go to the end.
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
	CLOCK_KIND_POSIX,	/* clock_gettime(id): rings with CLOCK_GIVEN */
};

struct clock_row {
	const char *name;
	enum clock_kind kind;
	clockid_t id;		/* of a POSIX clock; else what stands in when
				 * there is no usable TSC */
	bool in_ns;		/* prints as seconds, else as a plain number */
	const char *help;
};

extern const struct clock_row clock_table[];
extern const size_t clock_table_rows;

/* The row, or row 0 for a number that is none. */
const struct clock_row *clock_get(uint32_t row);
/* Its number, or -EINVAL. */
int clock_find(const char *name);
/* Of a POSIX clock, in ns. */
uint64_t clock_posix_ns(clockid_t id);

#endif
