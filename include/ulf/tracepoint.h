/* SPDX-License-Identifier: MIT */
/* Probes that a program itself registers on tracepoints, with the kernel's names and
 * contracts. */
#ifndef ULF_TRACEPOINT_H
#define ULF_TRACEPOINT_H

#include <ulf/event.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRACEPOINT_DEFAULT_PRIO 10

/*
 * Register a probe: call @probe(@data, arguments...) at every hit of @tp, in the thread
 * that hits the tracepoint.  Probes with a higher priority are called first.  Probes of
 * the same priority are called in the order of registration.  A signal handler must not
 * call this.
 * Returns 0, -EEXIST (this probe is already registered with this data), -EINVAL (@probe is
 * NULL), -ENOMEM, the error of the tracepoint's regfunc (TRACE_EVENT_FN), -EDEADLK (regfunc
 * or unregfunc of @tp calls this) or an error of patching the code.
 */
ULF_EXPORT int tracepoint_probe_register(struct tracepoint *tp, void *probe,
					 void *data);
ULF_EXPORT int tracepoint_probe_register_prio(struct tracepoint *tp,
					      void *probe, void *data,
					      int prio);
/*
 * Remove a probe.  The probe may still run in other threads after this function has
 * returned: see tracepoint_synchronize_unregister().
 * Returns 0, -ENOENT (not registered) or -EDEADLK (regfunc or unregfunc of @tp calls this).
 */
ULF_EXPORT int tracepoint_probe_unregister(struct tracepoint *tp, void *probe,
					   void *data);
/* Wait until all calls of probes that were unregistered before have returned.  Neither a
 * probe nor a signal handler may call this. */
ULF_EXPORT void tracepoint_synchronize_unregister(void);

/* Call @fct for every tracepoint of the program and its shared objects.  No object is
 * loaded or unloaded meanwhile. */
ULF_EXPORT void for_each_kernel_tracepoint(
	void (*fct)(struct tracepoint *tp, void *priv), void *priv);

#ifdef __cplusplus
}
#endif

#endif
