/* SPDX-License-Identifier: MIT */
/* The clock of a buffer: how its rings read it, and what time it is now. */
#ifndef ULF_SERVER_TIMEBASE_H
#define ULF_SERVER_TIMEBASE_H

#include <stdint.h>

struct instance;
struct root;
struct ring_config;
struct root;
struct text;

/* Take the first of the two samples that give the TSC's rate. */
void timebase_start(void);
/* Give the root its time base, if it has none yet.  Sleeps for up to 20 ms if the
 * server is younger than that. */
void timebase_need(struct root *root);
/* Fill the clock's part of @config; sleeps as well. */
void timebase_config(const struct instance *instance, struct ring_config *config);
/* Now, by the buffer's clock, in its unit. */
uint64_t timebase_now(const struct instance *instance);
/* Measure anew what its buffers' clocks need; if that cannot be done the last holds. */
void timebase_follow(struct root *root);
/* The TSC at that time of the buffer's clock.  UINT64_MAX: it cannot be told. */
uint64_t timebase_tsc(const struct instance *instance, uint64_t time);
/* As a stamp in `stats`: "%5llu.%06lu", or a plain number. */
void timebase_print(const struct instance *instance, uint64_t time,
		    struct text *out);

#endif
