/* SPDX-License-Identifier: MIT */
/*
 * Ring torture: the writers, the readers, and the memory that they share.
 * tests/torture/ring.c writes to its own rings; tests/runtime/ring_events.c and death_kill.c
 * hit events of their own root.
 *
 * A `context` is one source of records in program order: a thread outside of its signal
 * handler, the handler on a thread, or a forked child.  A context has a number, which is
 * never reused, and keeps its counts in shared memory.
 */
#ifndef ULF_TESTS_TORTURE_H
#define ULF_TESTS_TORTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/record.h"
#include "ring/ring.h"

enum torture_path {
	TORTURE_RSEQ,			/* the process has rseq */
	TORTURE_VFORK,			/* the process has rseq, and children of vfork()
					 * write, too */
	TORTURE_NO_RSEQ,		/* the process was started without rseq */
	TORTURE_MIXED,			/* some writers use rseq, some do not */
};

enum torture_clock {
	TORTURE_TSC,			/* the ring's own clock, in ns */
	TORTURE_JUMPY_TSC,		/* the ring's own clock, with jumps, so that deltas
					 * often overflow */
	TORTURE_GIVEN,			/* The writer passes the time, which advances so fast
					 * that deltas often overflow. */
};

struct torture_config {
	const char *name;
	enum torture_path path;
	enum torture_clock clock;
	uint32_t page_bytes, nr_pages;
	bool overwrite;
	bool has_delays;		/* stops and delays at TESTPOINTs */
};

static_assert(RECORD_BYTES_MAX == RING_PAYLOAD_MAX, "the largest is tried");
static_assert(RECORD_BYTES_MAX_SLOW == RING_PAYLOAD_MAX_SLOW, "the largest is tried");

struct torture;

struct torture_ops {
	/* Write a record.  Returns the result of ring_write(), or 0.  Async-signal-safe. */
	int (*write)(struct torture *t, const struct ring_set *set,
		     struct record_id id);
	/* Returns 0 if the record is whole, or -EBADMSG. */
	int (*check)(struct torture *t, const struct ring_record *record,
		     struct record_id *ret_id);
	/* Only for a write() that always returns 0, because it does not know what became of a
	 * record: returns the number of lost records that no ring has counted. */
	uint64_t (*unreported)(struct torture *t);
};

struct torture_context {
	uint64_t written;		/* write() returned 0; also the next sequence number */
	uint64_t refused;		/* -ENOBUFS */
	uint64_t busy;			/* -EBUSY, slow rings only */
	uint64_t cancelled;		/* -ECANCELED: recording was off */
	uint32_t is_trying;		/* the context is inside write() */
	uint32_t is_done;		/* the context ended by itself and was not killed */
	int32_t home;			/* the ring to which the context is bound, or -1 */
	uint32_t reserved[5];
};

/* The coordinator writes each member unless its comment names another writer. */
struct torture_shared {
	uint32_t stop;			/* read by writers and observers: end */
	uint32_t pause;			/* read by writers: pause, so that the rings rest */
	uint32_t drain;			/* read by readers: no more records will come */
	uint32_t failures;		/* written by all processes */
	uint32_t observers_ready;	/* written by observers */
	uint32_t nr_contexts;		/* written by writers */
	uint32_t forks;			/* written by writers: number of children */
	uint32_t vforks;		/* written by writers: number of children of vfork() */
	uint64_t read, lost, dropped;	/* written by the consumer at its end */
	uint64_t extends;
	uint64_t observed, observed_pages, observed_lost;	/* written by observers */
	struct torture_context contexts[RECORD_WRITERS];
};

struct torture {
	const struct torture_config *config;
	const struct torture_ops *ops;
	void *priv;			/* private data of @ops */
	struct torture_shared *shared;
	uint32_t nr_cpus, nr_rings;	/* ring 2 * cpu is fast, 2 * cpu + 1 is slow */
	struct ring_view *views;	/* [nr_rings] */
	struct ring_set *set, *slow_set;
	char *mem;			/* memory of rings that torture_make_rings() made */
	uint64_t mem_bytes;
	uint64_t seed;
	bool is_dead;			/* No process writes any more, so check also that the
					 * newest records are all there. */
};

uint64_t torture_now_ns(void);
/* Set up everything except the rings. */
int torture_prepare(struct torture *t, const struct torture_config *config);
/* Make rings in memory of the torture, which ring_write() writes. */
int torture_make_rings(struct torture *t);
void torture_done(struct torture *t);
__attribute__((format(printf, 2, 3)))
void torture_fail(struct torture *t, const char *format, ...);

/* Write from @nr_threads threads until ->stop is set.  Does not return. */
__attribute__((noreturn))
void torture_writer(struct torture *t, uint32_t nr_threads, uint64_t seed);

/* Read all records until ->drain is set and the rings are empty, check each, and compare the
 * sums. */
int torture_consume(struct torture *t);
/* Read without consuming: whole pages, and with a cursor.  Does not return. */
__attribute__((noreturn)) void torture_observer(struct torture *t);

/* Like fork(); the child ends with this process. */
int torture_fork(void);
/* Start readers and writers, and kill writers from time to time, until @events records are
 * written.  Prints a report.  Returns 0 if there was no failure. */
int torture_run(struct torture *t, uint64_t events);

/* A value for testpoint_hook, which sometimes delays. */
void torture_delay(const char *testpoint);

#endif
