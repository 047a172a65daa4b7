/* SPDX-License-Identifier: MIT */
/* The agent: the thread that applies settings. */
#ifndef ULF_RUNTIME_AGENT_H
#define ULF_RUNTIME_AGENT_H

#include <stdbool.h>
#include <stdint.h>

/* Start the agent of this process, which must have a process slot.  Returns 0 or
 * -errno; the error is also stored in the process slot. */
int agent_start(void);
/* Apply the settings in this thread now, without waiting for the agent.  The agent
 * will apply those settings that need calls of the program's functions.  A child of
 * fork() calls this before it starts its agent. */
void agent_catch_up(void);
/* Returns the address of a futex word with the generation that the agent has
 * applied.  Settings that need calls of the program's functions are possibly not
 * in force yet. */
const uint32_t *agent_applied(void);
/* Returns true while the agent waits for calls of the program's functions. */
bool agent_is_calling(void);
/* Returns true if the program is built with a sanitizer.  Sanitizers must know every
 * thread. */
bool agent_is_watched(void);
/* Called before fork(): note whether this process has other threads besides the agent and the
 * caller; agent_can_start_in_child() uses this in the child.  Lock held. */
void agent_before_fork(void);
/* Called in a child of fork().  Returns false if a sanitizer possibly does not let the
 * child start a thread.  Without an agent the child keeps the settings that it has. */
bool agent_can_start_in_child(void);

#endif
