/* SPDX-License-Identifier: MIT */
/* The caller: a thread of libc that runs event_make_calls(). */
#ifndef ULF_RUNTIME_LIBC_CALLER_H
#define ULF_RUNTIME_LIBC_CALLER_H

#include <stdbool.h>

/* Start the caller, unless that was done before. */
void caller_start(void);
/* Have the caller run event_make_calls(), and wait for it.  *@ret_result: its result.
 * Only the agent calls this.  Returns false if there is no caller.  A process that the
 * caller has forked has no caller, either: there this does nothing and returns true. */
bool caller_ask(int *ret_result);
/* Returns true if this thread is the caller. */
bool caller_is_this(void);
/* In a child of fork(), before it has an agent: reset the state of the caller. */
void caller_reset(void);

#endif
