/* SPDX-License-Identifier: MIT */
/*
 * Where threads have slept: the time between the switches of ulf_sched:sched_switch, by system
 * call and by the stack at its entry.  docs/design/offcpu.md describes how they are joined.
 */
#ifndef ULF_EXPORT_OFFCPU_H
#define ULF_EXPORT_OFFCPU_H

#include <stdbool.h>
#include <stdint.h>

#include "export/call_tree.h"

struct export_format;
struct export_settings;
struct offcpu;
struct text;

/* Settings of the formats, which export_settings.arg must point to. */
struct offcpu_settings {
	uint64_t min_ns;		/* calls that have slept for a shorter time are left out */
	struct offcpu **ret_offcpu;	/* offcpu_format: gets the result */
};

/* Numbers of the whole recording. */
struct offcpu_totals {
	uint64_t span_ns;		/* time from the first record to the last one */
	uint32_t nr_threads;		/* number of threads with records */
	uint64_t sleeps, asleep_ns;	/* calls that have slept for min_ns or longer, and the sum
					 * of their times */
	uint64_t short_sleeps, short_ns;	/* calls that are left out because of min_ns */
	uint64_t preemptions, preempted_ns;	/* times in which a thread could have run, and did
						 * not get a CPU */
	uint64_t nr_calls;		/* number of entries of system calls */
	uint64_t nr_switches;
	uint64_t lost;			/* number of records that were lost */
};

/*
 * A tree: the functions from the outermost one to the innermost one, then the system call.  Nodes
 * of system calls have no children and a self_ns.  In all nodes, count is the number of calls that
 * have slept, total_ns the sum of their times, and max_ns the longest one.
 */
struct offcpu {
	struct call_tree *tree;
	struct call_node *top;
	struct offcpu_totals totals;
	int32_t *pids;			/* the threads with records, an array of
					 * totals.nr_threads, sorted */
};

/* Formats that are no rows of the table of formats: a flame graph, folded stacks, JSON, and one
 * that writes nothing and gives the result to the caller, who must call offcpu_free(). */
extern const struct export_format export_offcpu_svg, export_offcpu_folded, export_offcpu_json,
	export_offcpu_result;

/* Return true if the thread has records. */
bool offcpu_has_thread(const struct offcpu *offcpu, int32_t pid);
/* Free the result.  NULL is allowed. */
void offcpu_free(struct offcpu *offcpu);
/* Return the nodes of system calls, the longest total_ns first: an array of *@ret_nr pointers,
 * which the caller must free(); NULL: no memory. */
const struct call_node **offcpu_calls(const struct offcpu *offcpu, uint32_t *ret_nr);

#endif
