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

/* Make the events known, as those of a module. */
void sched_events_register(void);
/* Returns a mask of the events that are on in some buffer, 1 << number.  Lock held. */
uint32_t sched_events_wanted(void);
/* Let the events of @mask stay off until the server sets them again, because of @error
 * (-errno).  Lock held. */
void sched_events_fail(uint32_t mask, int error);
/* Record what @report says, if the event for it is on.  Called in the agent, lock held. */
void sched_events_record(const struct perf_report *report);

#endif
