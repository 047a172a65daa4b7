/* SPDX-License-Identifier: MIT */
/* The events of the system ulf_sched: their formats and records. */
#ifndef ULF_RUNTIME_SCHED_EVENTS_H
#define ULF_RUNTIME_SCHED_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sched/perf.h"
#include <ulf/event.h>

enum sched_event {
	SCHED_SWITCH,
	SCHED_PROCESS_FORK,
	SCHED_PROCESS_EXEC,
	SCHED_PROCESS_EXIT,
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

#endif
