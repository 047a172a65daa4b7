/* SPDX-License-Identifier: MIT */
/* Commands of set_ftrace_filter.  The caller of each function of this file holds
 * runtime_lock(). */
#ifndef ULF_RUNTIME_FUNCTION_FUNCTION_PROBE_H
#define ULF_RUNTIME_FUNCTION_FUNCTION_PROBE_H

struct buffer;

/* Apply the commands of set_ftrace_filter that the buffer's rules contain.  Returns 0,
 * -ENOMEM or -EINVAL. */
int probes_apply(struct buffer *buffer);

#endif
