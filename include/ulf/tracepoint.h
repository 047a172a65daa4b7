/* SPDX-License-Identifier: MIT */
/* Probes of one's own on tracepoints: the kernel's calls and contracts. */
#ifndef ULF_TRACEPOINT_H
#define ULF_TRACEPOINT_H

#include <ulf/event.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRACEPOINT_DEFAULT_PRIO 10

/*
 * Call @probe(@data, arguments...) at every hit of @tp, in the thread that
 * hits it.  Probes with a higher priority are called first, those of the same
 * priority in the order of registration.  Not from a signal handler.
 * 0, -EEXIST (this probe with this data is there already), -EINVAL, -ENOMEM,
 * what the tracepoint's own function says (TRACE_EVENT_FN), -EDEADLK if it is
 * that function that asks, or an error of patching.
 */
ULF_EXPORT int tracepoint_probe_register(struct tracepoint *tp, void *probe,
					 void *data);
ULF_EXPORT int tracepoint_probe_register_prio(struct tracepoint *tp,
					      void *probe, void *data,
					      int prio);
/* 0, -ENOENT, -EDEADLK.  The probe may still be running in other threads: */
ULF_EXPORT int tracepoint_probe_unregister(struct tracepoint *tp, void *probe,
					   void *data);
/* returns when no probe that was unregistered before is running any more.
 * Not from a probe, not from a signal handler. */
ULF_EXPORT void tracepoint_synchronize_unregister(void);

/* Calls @fct for every tracepoint of the program and its shared objects, none of
 * which comes or goes meanwhile. */
ULF_EXPORT void for_each_kernel_tracepoint(
	void (*fct)(struct tracepoint *tp, void *priv), void *priv);

#ifdef __cplusplus
}
#endif

#endif
