/* SPDX-License-Identifier: MIT */
/* ftrace_dump(). */
#ifndef ULF_RUNTIME_BUFFER_DUMP_H
#define ULF_RUNTIME_BUFFER_DUMP_H

#include <stdint.h>

/* Prepare ftrace_dump().  Sets handlers for deadly signals if the user has asked for dumps.
 * Called in the thread that starts the runtime. */
void dump_init(void);
/* Called in a child of fork(): forget a dump that another thread of the parent ran. */
void dump_after_fork(uint32_t old_tid);

#endif
