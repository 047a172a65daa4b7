/* SPDX-License-Identifier: MIT */
/* Options of the function tracer and of the graph tracer. */
#ifndef ULF_RUNTIME_FUNCTION_FUNCTION_OPTION_H
#define ULF_RUNTIME_FUNCTION_FUNCTION_OPTION_H

#include <stdint.h>

struct buffer;

/* Apply the options of the buffer's function or graph tracer.  Lock held.  Returns 0 or
 * -ENOMEM. */
int function_options_apply(struct buffer *buffer);
/* Called in a child of fork(): release the locks of func-no-repeats that other threads
 * of the parent held. */
void function_options_after_fork(uint32_t old_tid);

#endif
