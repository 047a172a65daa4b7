/* SPDX-License-Identifier: MIT */
/*
 * Wait for late records (docs/design/sched.md), so that a recorder stores the records of each CPU
 * in the order of their times.  Each pass over the rings makes a mark for each CPU: the time of
 * the newest record, and the TSC.  The records up to this time are stored as soon as every process
 * has written its late records up to this TSC.  A pass converts no times, so this works with every
 * clock.
 */
#ifndef ULF_CLI_RECORD_LATE_H
#define ULF_CLI_RECORD_LATE_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"

#define RECORD_LATE_MARKS	16u

struct mapping;

/* The process slots of a root. */
struct record_late {
	struct mapping *map;		/* mapping that contains the slots; NULL: none, and no
					 * late records are waited for */
	const struct abi_process *processes;	/* the slots in @map */
};

/* A moment of the recording on one CPU. */
struct record_mark {
	uint64_t time;			/* time of the newest record, in the unit of the
					 * buffer's clock */
	uint64_t tsc;			/* the TSC after @time was read */
};

/* The moments of one CPU up to which the records are not stored yet.  Zeroed, it is empty. */
struct record_marks {
	struct record_mark marks[RECORD_LATE_MARKS];	/* the oldest mark comes first */
	uint32_t nr;
	uint64_t horizon;		/* time of the last mark that was reached */
};

/* Map the process slots of a root.  @fd: the root's memory.  @control: checked copy.  Does nothing
 * if they are mapped already.  Returns 0 or -errno. */
int record_late_open(struct record_late *late, int fd, const struct abi_control *control);
/* Unmap the process slots, if they are mapped. */
void record_late_close(struct record_late *late);

/*
 * Return the TSC up to which all late records are in the rings; UINT64_MAX if no process writes
 * late records.  Processes that have ended, and those that hang for about 2 seconds, are ignored.
 * The caller must read the ends of the rings after this.
 */
uint64_t record_late_until(const struct record_late *late);
/* Sleep until all late records of events that have happened before the call are in the rings,
 * but not longer than about 100 ms. */
void record_late_wait(const struct record_late *late);

/*
 * Return the time up to which the records of a CPU can be stored.
 * @newest: the newest record of the CPU, which becomes a mark if its time has changed
 * @until: from record_late_until(), called after @newest was read
 */
uint64_t record_marks_horizon(struct record_marks *marks, struct record_mark newest,
			      uint64_t until);

#endif
