/* SPDX-License-Identifier: MIT */
/* The function profiler: FTRACE_PROFILE. */
#ifndef ULF_RUNTIME_PROFILE_H
#define ULF_RUNTIME_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct abi_figure;
struct fsite_slot;
struct object;
struct shadow;

/* ---- hits; general registers only, any context, in a thread that is known ---- */

/* A call of the function of @slot, whose shadow is @shadow.  False: it is not
 * counted, so its return is of no interest. */
bool profile_enter(const struct fsite_slot *slot, const struct shadow *shadow);
/* It returns. */
void profile_leave(const struct shadow *shadow);

/* ---- lock held ---- */

/* What the server says: abi_functions.profile_session; object.figures */
void profile_wish(uint64_t session);
/* Do so.  -ENOMEM */
int profile_follow(void);
/* The object goes. */
void profile_forget(const struct object *object);
/* In the child.  @is_late: the server may have taken the figures away. */
void profile_after_fork(bool is_late);

#endif
