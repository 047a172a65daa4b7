/* SPDX-License-Identifier: MIT */
/* Start, exit and fork of the traced program. */
#ifndef ULF_RUNTIME_INIT_H
#define ULF_RUNTIME_INIT_H

#include <stdbool.h>

/* Create the root and start the agent.  Only the first call does anything.  May wait for
 * the server. */
void runtime_init(void);
/* Returns true after exit() has called our first handler.  Any context. */
bool runtime_is_exiting(void);
/* Register an exit handler.  Each module calls this, because only a handler that is
 * registered late enough runs before the destructors. */
void runtime_watch_exit(void);
/* Register the fork handlers.  Only the first call does anything. */
void runtime_watch_forks(void);

#endif
