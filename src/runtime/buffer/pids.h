/* SPDX-License-Identifier: MIT */
/* Lists of threads: set_event_pid, set_ftrace_pid and the files that end in
 * notrace_pid. */
#ifndef ULF_RUNTIME_BUFFER_PIDS_H
#define ULF_RUNTIME_BUFFER_PIDS_H

#include <stdbool.h>
#include <stdint.h>

struct buffer;

/* Apply the server's lists of threads.  Lock held.  Returns 0 or -errno. */
int pids_apply(struct buffer *buffer);
/* Returns true if the buffer, which has lists of threads, does not record events of the
 * thread @tid.  Must be called in a probe; any context. */
bool pids_ignore(const struct buffer *buffer, uint32_t tid);
/* Add @child to each list of threads that contains @parent and is inherited (options
 * event-fork and function-fork).  Must be called in a probe, or while the server waits
 * for this process; any context. */
void pids_inherit(uint32_t parent, uint32_t child);
/* Returns true if any list of threads is inherited (options event-fork and
 * function-fork).  Any context. */
bool pids_are_inherited(void);

#endif
