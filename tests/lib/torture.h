/* SPDX-License-Identifier: MIT */
/*
 * Ring torture: the writers, the readers and the memory that they share.
 * tests/torture/ring.c puts them together and counts.
 *
 * A `context` is one source of records in program order: a thread outside of
 * its signal handler, or the handler on a thread, or a forked child.  It has
 * a number for life and keeps its own counts in shared memory.
 */
#ifndef ULF_TESTS_TORTURE_H
#define ULF_TESTS_TORTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/record.h"
#include "ring/ring.h"

enum torture_path {
	TORTURE_RSEQ,			/* the process has rseq */
	TORTURE_NO_RSEQ,		/* it was started without */
	TORTURE_MIXED,			/* some writers use it, some do not */
};

enum torture_clock {
	TORTURE_TSC,			/* the ring's own, in ns */
	TORTURE_FAST_TSC,		/* ticks so fast that deltas overflow */
	TORTURE_GIVEN,			/* the writer brings the time, fast too */
};
#define TORTURE_FAST	4096

struct torture_config {
	const char *name;
	enum torture_path path;
	enum torture_clock clock;
	uint32_t page_bytes, nr_pages;
	bool overwrite;
	bool has_delays;		/* stop and stare at TESTPOINTs */
};

static_assert(RECORD_BYTES_MAX == RING_PAYLOAD_MAX, "the largest is tried");

struct torture_context {
	uint64_t written;		/* ring_write() was 0; the next seq */
	uint64_t refused;		/* -ENOBUFS */
	uint64_t busy;			/* -EBUSY, slow rings only */
	uint64_t cancelled;		/* -ECANCELED, recording was off */
	uint32_t is_trying;		/* inside ring_write() */
	uint32_t is_done;		/* ended by itself, was not killed */
	int32_t home;			/* the ring that it is bound to, or -1 */
	uint32_t reserved[5];
};

/* Written by the coordinator but for what is said. */
struct torture_shared {
	uint32_t stop;			/* writers and observers */
	uint32_t pause;			/* writers: let the rings rest */
	uint32_t drain;			/* readers: no more will come */
	uint32_t failures;		/* everybody */
	uint32_t observers_ready;	/* observers */
	uint32_t nr_contexts;		/* writers */
	uint32_t forks;			/* writers: children of writers */
	uint32_t reserved;
	uint64_t read, lost, extends;	/* consumer, at the end */
	uint64_t observed, observed_pages, observed_lost;	/* observers */
	struct torture_context contexts[RECORD_WRITERS];
};

struct torture {
	const struct torture_config *config;
	struct torture_shared *shared;
	uint32_t nr_cpus, nr_rings;	/* ring 2 * cpu: fast, + 1: slow */
	struct ring_view *views;	/* [nr_rings] */
	struct ring_set *set, *slow_set;
	uint64_t seed;
};

uint64_t torture_now_ns(void);
int torture_init(struct torture *t, const struct torture_config *config,
		 uint64_t seed);
__attribute__((format(printf, 2, 3)))
void torture_fail(struct torture *t, const char *format, ...);

/* Writes from @nr_threads threads until told to stop.  Does not return. */
__attribute__((noreturn))
void torture_writer(struct torture *t, uint32_t nr_threads, uint64_t seed);

/* Reads everything, checks it, and balances the books.  Does not return. */
__attribute__((noreturn)) void torture_consumer(struct torture *t);
/* Reads without consuming: whole pages, and by cursor.  Does not return. */
__attribute__((noreturn)) void torture_observer(struct torture *t);

/* For testpoint_hook: a delay now and then. */
void torture_delay(const char *testpoint);

#endif
