/* SPDX-License-Identifier: MIT */
/* The tracer run_delay: keep the trace that led to the longest wait of a thread for a CPU.
 * Called in the agent, with the runtime's lock held. */
#ifndef ULF_RUNTIME_SCHED_RUN_DELAY_H
#define ULF_RUNTIME_SCHED_RUN_DELAY_H

#include <stdbool.h>

#include "runtime/sched/stat.h"

/* Returns true if a buffer has the tracer. */
bool run_delay_is_wanted(void);
/* Called for each wait of a thread for a CPU: keep the trace if this wait is the longest so
 * far.  The wait has been recorded already in the buffers in which sched_stat_wait is on. */
void run_delay_waited(const struct sched_wait *wait);

#endif
