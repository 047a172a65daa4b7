/* SPDX-License-Identifier: MIT */
/* Handling of fork() in the traced program. */
#ifndef ULF_RUNTIME_FORK_H
#define ULF_RUNTIME_FORK_H

/* Register the fork handlers.  Only the first call has an effect. */
void fork_watch(void);

#endif
