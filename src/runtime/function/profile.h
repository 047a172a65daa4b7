/* SPDX-License-Identifier: MIT */
/* The function profiler, which is the user FTRACE_PROFILE of function sites. */
#ifndef ULF_RUNTIME_PROFILE_H
#define ULF_RUNTIME_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct abi_figure;
struct fsite_slot;
struct object;
struct shadow;

/* ---- functions for hit.c, which use general registers only.  Any thread that has a thread
 * slot, and any of its signal handlers, may call them. ---- */

/* Count a call of the function of @slot.  @shadow: the shadow of the call, in the table
 * of shadows.  Returns false if the function has no figures, so that the profiler need
 * not follow the call. */
bool profile_enter(const struct fsite_slot *slot, const struct shadow *shadow);
/* Add the time of a call that returns.  @shadow: the shadow of the call, in the table
 * of shadows. */
void profile_leave(const struct shadow *shadow);

/* ---- functions whose caller holds runtime_lock() ---- */

/* Store the server's setting, which profile_apply() applies.  @session:
 * abi_functions.profile_session; 0: off.  The caller must set object.figures before. */
void profile_set_session(uint64_t session);
/* Apply the setting of profile_set_session().  Returns 0 or -ENOMEM; after -ENOMEM
 * profiling is off. */
int profile_apply(void);
/* Stop counting the functions of @object, which is about to be freed. */
void profile_forget(const struct object *object);
/* Called in the child after fork().  @is_late: the server has changed settings since the
 * fork, so it may already have freed the figures. */
void profile_after_fork(bool is_late);
/* Stop counting, because this process has no root from now on.  Called in the child after
 * fork(). */
void profile_detach(void);

#endif
