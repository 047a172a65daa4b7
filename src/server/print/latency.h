/* SPDX-License-Identifier: MIT */
/*
 * Latency tracers: the longest latency of an instance, and what the file trace shows about it.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_LATENCY_H
#define ULF_SERVER_LATENCY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct instance;
struct root;

/* The longest latency so far, and the thread that had it. */
struct latency {
	uint64_t us;
	uint32_t cpu;
	uint32_t tid;			/* 0: the thread is not known */
	char task[160];			/* the thread as the header of trace shows it: name, id,
					 * user and scheduling */
};

/* Get the longest latency of @instance. */
void latency_get(const struct instance *instance, struct latency *ret_latency);
/* Return the longest latency of @instance, us. */
uint64_t latency_max(const struct instance *instance);
/* Set the longest latency of @instance: only latencies above @us count from now on.  No thread is
 * known for it. */
void latency_set_max(struct instance *instance, uint64_t us);
/* The threshold of all instances of @root, us: see abi_latency.thresh_us. */
uint64_t latency_thresh(const struct root *root);
void latency_set_thresh(struct root *root, uint64_t us);

/*
 * latency_start - give the spare side to the latency tracer of @instance, forget the longest
 *	latency, and set the options latency-format and overwrite.  Returns 0 or -errno; after an
 *	error nothing has changed.
 * latency_stop - take these things back.
 * The caller must notify the processes.
 */
int latency_start(struct instance *instance);
void latency_stop(struct instance *instance);
/* Return true if a latency tracer uses the spare side of @instance: trace shows this side, and
 * there are no snapshots. */
bool latency_owns_spare(const struct instance *instance);

#endif
