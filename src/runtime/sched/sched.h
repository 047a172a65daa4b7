/* SPDX-License-Identifier: MIT */
/* The part of the runtime that records the events of the system ulf_sched: its methods (see
 * runtime/base/part.h). */
#ifndef ULF_RUNTIME_SCHED_SCHED_H
#define ULF_RUNTIME_SCHED_SCHED_H

#include <stdbool.h>
#include <stdint.h>

void sched_init(void);
void sched_agent_start(bool has_own_table);
bool sched_must_wait(void);
int sched_apply(void);
uint32_t sched_tick(void);
void sched_exit(void);
int sched_leave(void);
void sched_after_fork(uint32_t old_tid);
void sched_detach(void);

#endif
