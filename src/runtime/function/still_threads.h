/* SPDX-License-Identifier: MIT */
/* The other threads of this process, as the kernel shows them in /proc/self/task. */
#ifndef ULF_RUNTIME_STILL_THREADS_H
#define ULF_RUNTIME_STILL_THREADS_H

#include <stdbool.h>
#include <stdint.h>

/* Returns true if the calling thread is the only one of this process.  Returns false if that is
 * not known. */
bool still_threads_are_none(void);

/*
 * still_threads_see - check that a tracer (ptrace) has stopped all other threads
 * @see: called with the instruction pointer and the stack pointer of each of them; may be NULL
 *
 * Uses system calls only.  Lock held.  Returns 0; -EBUSY: a thread runs; -EACCES: this thread
 * may not look at the others; or another -errno of the kernel.
 */
int still_threads_see(void (*see)(uint64_t ip, uint64_t sp));

#endif
