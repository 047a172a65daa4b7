/* SPDX-License-Identifier: MIT */
/* Tracepoints and their probes. */
#ifndef ULF_RUNTIME_EVENT_TRACEPOINT_H
#define ULF_RUNTIME_EVENT_TRACEPOINT_H

#include <stdbool.h>

#include <ulf/tracepoint.h>

/* Returns true if @tp has calls: functions of the program that must be called when the
 * first probe is added and when the last one is removed (TRACE_EVENT_FN).  Then its
 * probes may only change between tracepoint_enter() and tracepoint_leave(), and the
 * caller must not hold the runtime's lock: see docs/design/regfunc.md. */
bool tracepoint_has_calls(const struct tracepoint *tp);
/* Take and release the lock of @tp.  Both functions do nothing if @tp has no calls.
 * tracepoint_enter() may sleep.  It returns 0, or -EDEADLK if this thread holds the lock
 * already. */
int tracepoint_enter(struct tracepoint *tp);
void tracepoint_leave(struct tracepoint *tp);
/*
 * Add a probe to @tp, or remove it.  The sites are not patched: call site_update_key()
 * afterwards.  Probes with a higher @prio are called first.
 *
 * tracepoint_add - returns 0, -EEXIST, -EINVAL (@probe is NULL), -ENOMEM or the
 *	-errno of the tracepoint's regfunc.
 * tracepoint_remove - returns 0, -ENOENT or -ENOMEM.
 * tracepoint_drop - as tracepoint_remove(), but unregfunc is not called.
 */
int tracepoint_add(struct tracepoint *tp, void *probe, void *data, int prio);
int tracepoint_remove(struct tracepoint *tp, void *probe, void *data);
int tracepoint_drop(struct tracepoint *tp, void *probe, void *data);
/* Returns true if @probe was added to @tp with @data.  Lock held. */
bool tracepoint_has(const struct tracepoint *tp, void *probe, void *data);

#endif
