/* SPDX-License-Identifier: MIT */
/*
 * How long each thread runs, and how long it waits for a CPU.  Only the agent calls these
 * functions.
 */
#ifndef ULF_RUNTIME_SCHED_STAT_H
#define ULF_RUNTIME_SCHED_STAT_H

#include <stdint.h>

#include "runtime/sched/perf.h"

/* One or more waits of a thread for a CPU: times during which the thread could run, and another
 * thread had the CPU. */
struct sched_wait {
	uint32_t tid, pid;
	uint32_t cpu;			/* CPU on which the thread ran after the last wait */
	uint32_t nr;			/* number of waits */
	uint64_t delay_ns;		/* length of all these waits together */
	uint64_t longest_ns;		/* the longest of the waits took at least this time; if
					 * @nr is 1, it took exactly this time */
	uint64_t raw_ns;		/* time by which all of these waits had ended,
					 * CLOCK_MONOTONIC_RAW */
};

/* Callbacks of this code: each gets the times of a thread that were found out. */
struct sched_stat_ops {
	/* Called when the thread of @report was switched out, after it had run for @ns. */
	void (*ran)(const struct perf_report *report, uint64_t ns);
	void (*waited)(const struct sched_wait *wait);
};

/* Forget all threads.  Returns 0; -ENOMEM; or -ENOENT if the kernel does not report how long
 * threads wait. */
int stat_begin(void);
/* Use @report, a report of the kernel about a switch of a thread: call @ops if it says how long the
 * thread has run or waited.  The caller must pass each report once, and older reports first. */
void stat_note(const struct perf_report *report, const struct sched_stat_ops *ops);
/* Ask the kernel how long the threads that were switched in have waited.  @until_ns: the time,
 * CLOCK_MONOTONIC_RAW, up to which all reports were passed to stat_note(). */
void stat_round(uint64_t until_ns, const struct sched_stat_ops *ops);

#endif
