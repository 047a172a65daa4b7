/* SPDX-License-Identifier: MIT */
/* The caller: a thread of libc that runs event_make_calls(). */
#ifndef ULF_RUNTIME_EVENT_CALLER_H
#define ULF_RUNTIME_EVENT_CALLER_H

#include <stdbool.h>
#include <stdint.h>

/* Start the caller, unless it was started before. */
void caller_start(void);
/* Make the caller call the functions of the program that TRACE_EVENT_FN names (regfunc,
 * unregfunc), and wait for them.  Then patch the sites of the events.  Only the agent
 * calls this function, with no lock held.  Returns 0 or the first -errno; -EAGAIN if
 * there is no caller. */
int caller_make_calls(void);
/* Returns true if this thread is the caller. */
bool caller_is_this(void);
/* Reset the state of the caller.  Called in a child of fork(), before the child has an
 * agent. */
void caller_after_fork(uint32_t old_tid);

#endif
