/* SPDX-License-Identifier: MIT */
/* The events of the system ulf_sched: their formats and records. */
#ifndef ULF_RUNTIME_SCHED_EVENTS_H
#define ULF_RUNTIME_SCHED_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sched/perf.h"
#include "runtime/sched/stat.h"
#include <ulf/event.h>

struct buffer;

enum sched_event {
	SCHED_SWITCH,
	SCHED_PROCESS_FORK,
	SCHED_PROCESS_EXEC,
	SCHED_PROCESS_EXIT,
	SCHED_STAT_RUNTIME,
	SCHED_STAT_WAIT,
	NR_SCHED_EVENTS,
};

/* Register the events of the system ulf_sched as those of a module. */
void sched_events_register(void);
/* Returns a mask of the events that are on in some buffer: 1 << number for each.  Lock
 * held. */
uint32_t sched_events_wanted(void);
/* Switch the events of @mask off because of @error (-errno), until the server sets
 * them again.  Lock held. */
void sched_events_fail(uint32_t mask, int error);
/* Record the event that @report describes, if this event is on.  Called in the agent, lock
 * held. */
void sched_events_record(const struct perf_report *report);
/* Record that the thread of @report has run for @ns before it was switched out; record that a
 * thread has waited for a CPU.  Both functions do nothing while their event is off.  Called in
 * the agent, lock held. */
void sched_events_ran(const struct perf_report *report, uint64_t ns);
void sched_events_waited(const struct sched_wait *wait);
/* Write the record of @wait to @buffer, unless the event sched_stat_wait is on in @buffer: then
 * the record is there already.  Called in a probe, by the agent, which stands for the thread
 * that has waited (late_enter()). */
void sched_events_write_wait(const struct buffer *buffer, const struct sched_wait *wait);

#endif
