/* SPDX-License-Identifier: MIT */
/*
 * Reports of the kernel about the threads of this process, from perf_event_open(2): when each is
 * switched in and out, and when threads start and end.
 *
 * Only the agent calls perf_open() and perf_read(), which need its descriptor table.
 */
#ifndef ULF_RUNTIME_SCHED_PERF_H
#define ULF_RUNTIME_SCHED_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"

enum perf_kind {
	PERF_KIND_OUT,			/* a thread was switched out */
	PERF_KIND_IN,			/* a thread was switched in */
	PERF_KIND_FORK,			/* the thread @ptid has started the thread
					 * @tid */
	PERF_KIND_EXIT,			/* a thread ends */
	PERF_KIND_EXEC,			/* a process has called exec(), and now has
					 * the name @comm */
	PERF_KIND_LOST,			/* @lost reports were lost */
	PERF_KIND_COMM,			/* a thread has got the name @comm; this
					 * report may come twice */
	PERF_KIND_OTHER,
};

struct perf_report {
	enum perf_kind kind;
	uint32_t cpu;
	uint32_t pid, tid;		/* process and thread */
	uint32_t ppid, ptid;		/* for FORK: ids of the process and the thread
					 * that called fork() or clone() */
	bool is_runnable;		/* for OUT: true if the thread could have
					 * continued */
	uint64_t raw_ns;		/* time of the change, CLOCK_MONOTONIC_RAW */
	uint64_t lost;
	char comm[ABI_COMM_LEN];	/* name, padded with NULs */
};

/*
 * Ask the kernel for reports about all threads of this process, and about the
 * threads that these start.
 * @has_children: also ask for reports about children of this process: FORK, EXIT and
 * EXEC.
 * @agent: thread id of the agent, for which no reports are asked.
 * Returns 0; -errno of a system call; or -ENODATA if the process has no /proc.
 */
int perf_open(bool has_children, uint32_t agent);
/*
 * Call @fn for each report up to the time @until_ns, in the order of their times, but for
 * no more than @max reports.  Returns the number of reports.
 */
uint32_t perf_read(uint64_t until_ns, uint32_t max, void (*fn)(const struct perf_report *report));
/* Stop the reports.  Any thread may call this function; if @is_agent is false, descriptors
 * stay open in the agent's table. */
void perf_close(bool is_agent);
/* Called in a child of fork(): forget the buffers, which are not mapped in the child. */
void perf_forget(void);

#endif
