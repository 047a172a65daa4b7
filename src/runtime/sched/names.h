/* SPDX-License-Identifier: MIT */
/* The names of threads, as the kernel's reports have given them last.  Only the agent calls
 * these functions. */
#ifndef ULF_RUNTIME_SCHED_NAMES_H
#define ULF_RUNTIME_SCHED_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/control.h"

/* Forget all names.  Returns false if there is no memory. */
bool names_begin(void);
/* Set the name of thread @tid, padded with NULs. */
void names_set(uint32_t tid, const char comm[ABI_COMM_LEN]);
/* Record the name of thread @tid in the root, if the name has changed since the last call.
 * @pid: pid of the thread's process. */
void names_record(uint32_t tid, uint32_t pid);
/* Get the name of thread @tid.  If no report has given the name, it is read from /proc; if
 * that fails, the name is "<...>". */
void names_get(uint32_t tid, char ret_comm[ABI_COMM_LEN]);

#endif
