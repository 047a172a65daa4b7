/* SPDX-License-Identifier: MIT */
/* Dynamic events in this process: synthetic events and event probes. */
#ifndef ULF_RUNTIME_EVENT_DYNAMIC_H
#define ULF_RUNTIME_EVENT_DYNAMIC_H

#include <stdint.h>

struct ulf_event;

/* ---- functions whose caller holds runtime_lock() ---- */

/* Called for each dynamic event that a histogram or an event probe of this process
 * emits.  @row: row of this event, below ABI_DYNAMIC.  Returns 0 or -ENOMEM. */
int dynamic_use(uint32_t row);
/* Apply abi_event.wanted to the dynamic events that were used.  Returns 0 or the first
 * -errno. */
int dynamic_apply(void);
/* Remove the plans of all dynamic events, so that their records go nowhere. */
void dynamic_forget(void);

/* ---- functions for any context ---- */

/* Returns the dynamic event @row, or NULL if this process has not used it so far. */
const struct ulf_event *dynamic_event(uint32_t row);

#endif
