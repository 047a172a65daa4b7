/* SPDX-License-Identifier: MIT */
#ifndef ULF_RUNTIME_SCHED_TASK_FILE_H
#define ULF_RUNTIME_SCHED_TASK_FILE_H

#include <stddef.h>
#include <stdint.h>

/* Read the file /proc/self/task/@tid/@name, of which the first @size bytes are stored in @buf.
 * Makes system calls only.  Returns the number of bytes that were read, or -errno. */
long task_file_read(uint32_t tid, const char *name, char *buf, size_t size);

#endif
