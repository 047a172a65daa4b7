/* SPDX-License-Identifier: MIT */
/* Grace periods: wait until no thread is in a probe that was removed. */
#ifndef ULF_RUNTIME_BASE_GRACE_H
#define ULF_RUNTIME_BASE_GRACE_H

#include <stdbool.h>

/* Register this process for membarrier().  May be called several times. */
void grace_init(void);
/* Returns true if grace_wait() also restarts rseq sections.  Any context. */
bool grace_has_rseq(void);
/* Restart every rseq section that a thread of this process is in.  Does not sleep.  The
 * caller may hold runtime_lock() or not.  Returns 0 or -errno of membarrier(). */
int grace_restart_sections(void);
/*
 * Wait until every probe that runs now has returned, then free the memory that was given to
 * grace_free() before.  Sleeps.  The caller must not be in a probe.
 * @timeout_ms: limit of the wait; negative: no limit.
 * Returns 0, -ETIMEDOUT or -errno of membarrier().  On failure a later call frees the
 * memory.
 */
int grace_wait(int timeout_ms);
/* Defer the free of @ptr: the next grace_wait() calls memory_free(@ptr) when the
 * grace period has ended.  Lock held. */
void grace_free(void *ptr);

#endif
