/* SPDX-License-Identifier: MIT */
/* Late events (docs/design/sched.md). */
#ifndef ULF_ABI_LATE_SYSTEM_H
#define ULF_ABI_LATE_SYSTEM_H

/* The system of the late events.  Every program has them. */
#define ABI_LATE_SYSTEM		"ulf_sched"

#endif
