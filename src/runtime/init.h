/* SPDX-License-Identifier: MIT */
/* Start and exit of the traced program. */
#ifndef ULF_RUNTIME_INIT_H
#define ULF_RUNTIME_INIT_H

/* Create the root and start the agent.  Only the first call has an effect.  May wait for
 * the server. */
void runtime_init(void);
/* Register an exit handler.  Each module calls this, because only a handler that is
 * registered late enough runs before the destructors. */
void runtime_watch_exit(void);

#endif
