/* SPDX-License-Identifier: MIT */
/* Start and exit of the traced program. */
#ifndef ULF_RUNTIME_INIT_H
#define ULF_RUNTIME_INIT_H

#include <stdbool.h>
#include <stdint.h>

/* Where the start takes its settings from, if not from the environment. */
struct runtime_source {
	const char *dir;		/* the ulf directory, which exists */
	const char *words;		/* boot settings; "" if there are none */
	uint32_t run_id;		/* run id that the root gets */
};

/* Create the root and start the agent.  Only the first call has an effect.  May wait for
 * the server. */
void runtime_init(void);
/* Create the root and start the agent for `ulf attach`: the settings come from @source, and
 * the environment is not read, because other threads may change it.  Returns 0 if there is
 * a root now, or -errno.  A start that has failed may be tried again. */
int runtime_start(const struct runtime_source *source);
/* Returns true if the start has come so far that children of fork() can be traced.  The caller
 * holds runtime_lock(), and the result stays the same until it is released. */
bool runtime_is_ready(void);
/* Called in a child of fork() if the runtime was not ready: let a new start begin, because
 * the thread that did the old start does not exist in the child. */
void runtime_forget_start(void);
/* Register an exit handler.  Each module calls this, because only a handler that is
 * registered late enough runs before the destructors. */
void runtime_watch_exit(void);

#endif
