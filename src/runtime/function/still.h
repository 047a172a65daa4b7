/* SPDX-License-Identifier: MIT */
/*
 * Switch function sites while no other thread runs (fsites_flip()).  Lock held for all
 * functions.
 */
#ifndef ULF_RUNTIME_STILL_H
#define ULF_RUNTIME_STILL_H

#include <stdbool.h>

struct object;

/*
 * still_flip - switch all sites that need it, of all objects that @may_flip accepts
 *
 * Returns 0; -EAGAIN: other threads run, and cannot be stopped; -EILSEQ or another -errno of
 * patching.  Sites that could not be switched are tried again by the next call.
 */
int still_flip(bool (*may_flip)(const struct object *object));

/* still_is_alone - returns true if the calling thread is known to be the only thread of
 * this process. */
bool still_is_alone(void);

/* Method runtime_part.agent_start: remember which thread is the agent. */
void still_agent(bool has_own_table);

#endif
