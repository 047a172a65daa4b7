/* SPDX-License-Identifier: MIT */
/* The function profiler, which is the user FTRACE_PROFILE of function sites. */
#ifndef ULF_RUNTIME_PROFILE_H
#define ULF_RUNTIME_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

struct abi_figure;
struct fsite_slot;
struct ftrace_regs;
struct object;
struct shadow;

/* ---- functions for hit.c, which use general registers only.  Any thread that has a thread
 * slot, and any of its signal handlers, may call them. ---- */

/* The plain users of a function are the profiler and the events of libc's functions
 * (libcalls.h): they need no depth and no tag.  Both share one bit in the users of a followed
 * call, FTRACE_PROFILE. */

/* Handle the entry of a function whose site @ip has the user FTRACE_LIBC.  Returns true if its
 * event must be recorded at the return.  @call_site: the return address. */
bool plain_hit(uint64_t ip, uint64_t call_site, const struct ftrace_regs *regs);
/*
 * plain_enter - have the plain users of a site follow a call
 * @users: the users of the site; FTRACE_LIBC only if plain_hit() has returned true
 * @ip: the site; @slot: its slot
 * @shadow: the shadow of the call, in the table of shadows.  After a tail call (@is_tail) it still
 *	describes the first function.
 *
 * Returns the bit of FTRACE_PROFILE if one of them follows the call, else 0.
 */
uint32_t plain_enter(uint32_t users, uint64_t ip, const struct fsite_slot *slot,
		     const struct ftrace_regs *regs, const struct shadow *shadow, bool is_tail);
/* Called when the call with @shadow, whose users have FTRACE_PROFILE, has returned @value.
 * @marks: ABI_GRAPH_TAIL if the call has made a tail call, else 0. */
void plain_leave(const struct shadow *shadow, uint64_t value, uint32_t marks);

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
