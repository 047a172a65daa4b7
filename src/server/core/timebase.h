/* SPDX-License-Identifier: MIT */
/*
 * The clock of a buffer: how its rings read it, and the current time.  Only the server's
 * thread calls these functions.
 */
#ifndef ULF_SERVER_TIMEBASE_H
#define ULF_SERVER_TIMEBASE_H

#include <stdbool.h>
#include <stdint.h>

struct clock_row;
struct instance;
struct ring_config;
struct root;
struct text;

/* Take the first of two samples of TSC and time.  The rate of the TSC is computed from
 * both. */
void timebase_start(void);
/*
 * Measure the rate of the TSC and store it in the memory of @root, if this was not done
 * yet.  Sleeps for up to 20 ms if the server has started less than 20 ms ago.
 */
void timebase_need(struct root *root);
/* Fill the members of @config that describe how rings read the instance's clock.  May
 * sleep as timebase_need() does. */
void timebase_config(const struct instance *instance, struct ring_config *config);
/* Return the current time by the clock of @instance, in the unit of this clock. */
uint64_t timebase_now(const struct instance *instance);
/* Convert @cycles cycles of the TSC to the unit of the instance's clock, rounded up.
 * Returns 0 if this clock counts neither ns nor cycles. */
uint64_t timebase_span(const struct instance *instance, uint64_t cycles);
/* Return true if this server can offer the clock @row. */
bool timebase_has(const struct clock_row *row);
/* Prepare the root's memory for a buffer that will use the clock @row.  Returns 0; -EINVAL if the
 * clock is not available; -EIO if it cannot be read. */
int timebase_prepare(struct root *root, const struct clock_row *row);
/* Measure the offset of perf's clock again, because the clock drifts.  Does nothing if no
 * buffer of @root uses perf's clock.  If the measurement fails, the last offset stays. */
void timebase_update(struct root *root);
/* Convert @time, a time of the instance's clock, to a value of the TSC.  Returns
 * UINT64_MAX if this is impossible, because the clock cannot be converted. */
uint64_t timebase_tsc(const struct instance *instance, uint64_t time);
/* Print @time as the file `stats` does: as "%5llu.%06llu" seconds, or as a plain number
 * if the clock does not count ns. */
void timebase_print(const struct instance *instance, uint64_t time,
		    struct text *out);

#endif
