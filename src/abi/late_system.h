/* SPDX-License-Identifier: MIT */
/* The system of late events: events that the agent records some time after they
 * have happened (docs/design/sched.md). */
#ifndef ULF_ABI_LATE_SYSTEM_H
#define ULF_ABI_LATE_SYSTEM_H

/* The name of the system of the late events.  Every program has these events. */
#define ABI_LATE_SYSTEM		"ulf_sched"

#endif
