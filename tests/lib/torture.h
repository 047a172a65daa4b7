/* SPDX-License-Identifier: MIT */
/*
 * Ring torture: the writers, the readers, and the memory that they share.
 * tests/torture/ring.c writes to rings of its own, tests/runtime/ring_events.c
 * and death_kill.c hit events of their own root.
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
	TORTURE_VFORK,			/* and children of vfork() write, too */
	TORTURE_NO_RSEQ,		/* it was started without */
	TORTURE_MIXED,			/* some writers use it, some do not */
};

enum torture_clock {
	TORTURE_TSC,			/* the ring's own, in ns */
	TORTURE_JUMPY_TSC,		/* the same; deltas overflow often */
	TORTURE_GIVEN,			/* the writer brings the time, which
					 * goes so fast that they do, too */
};

struct torture_config {
	const char *name;
	enum torture_path path;
	enum torture_clock clock;
	uint32_t page_bytes, nr_pages;
	bool overwrite;
	bool has_delays;		/* stop and stare at TESTPOINTs */
};

static_assert(RECORD_BYTES_MAX == RING_PAYLOAD_MAX, "the largest is tried");
static_assert(RECORD_BYTES_MAX_SLOW == RING_PAYLOAD_MAX_SLOW, "the largest is tried");

struct torture;

struct torture_ops {
	/* 0, or what ring_write() returns.  Async-signal-safe. */
	int (*write)(struct torture *t, const struct ring_set *set,
		     struct record_id id);
	/* 0 if the record is whole, else -EBADMSG. */
	int (*check)(struct torture *t, const struct ring_record *record,
		     struct record_id *ret_id);
	/* If write() cannot tell what became of a record (it is always 0): how
	 * many were lost that no ring knows of. */
	uint64_t (*untold)(struct torture *t);
};

struct torture_context {
	uint64_t written;		/* write() was 0; the next seq */
	uint64_t refused;		/* -ENOBUFS */
	uint64_t busy;			/* -EBUSY, slow rings only */
	uint64_t cancelled;		/* -ECANCELED, recording was off */
	uint32_t is_trying;		/* inside write() */
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
	uint32_t vforks;		/* writers: the same, by vfork() */
	uint64_t read, lost, dropped;	/* consumer, at the end */
	uint64_t extends;
	uint64_t observed, observed_pages, observed_lost;	/* observers */
	struct torture_context contexts[RECORD_WRITERS];
};

struct torture {
	const struct torture_config *config;
	const struct torture_ops *ops;
	void *priv;			/* of the ops */
	struct torture_shared *shared;
	uint32_t nr_cpus, nr_rings;	/* ring 2 * cpu: fast, + 1: slow */
	struct ring_view *views;	/* [nr_rings] */
	struct ring_set *set, *slow_set;
	char *mem;			/* of rings made here */
	uint64_t mem_bytes;
	uint64_t seed;
	bool is_dead;			/* nobody writes any more: check also
					 * that the newest are all there */
};

uint64_t torture_now_ns(void);
/* Everything but the rings. */
int torture_prepare(struct torture *t, const struct torture_config *config);
/* Rings in memory of its own, written by ring_write(). */
int torture_make_rings(struct torture *t);
void torture_done(struct torture *t);
__attribute__((format(printf, 2, 3)))
void torture_fail(struct torture *t, const char *format, ...);

/* Writes from @nr_threads threads until told to stop.  Does not return. */
__attribute__((noreturn))
void torture_writer(struct torture *t, uint32_t nr_threads, uint64_t seed);

/* Reads everything until ->drain is set and nothing is left, checks it, and
 * balances the books. */
int torture_consume(struct torture *t);
/* Reads without consuming: whole pages, and by cursor.  Does not return. */
__attribute__((noreturn)) void torture_observer(struct torture *t);

/* A process to end with this one, as fork(). */
int torture_fork(void);
/* Starts readers and writers, kills writers now and then, until so many events
 * are written; prints a report.  0: all was well. */
int torture_run(struct torture *t, uint64_t events);

/* For testpoint_hook: a delay now and then. */
void torture_delay(const char *testpoint);

#endif
