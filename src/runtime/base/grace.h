/* SPDX-License-Identifier: MIT */
/* Grace periods: wait until no thread is in a probe that was removed. */
#ifndef ULF_RUNTIME_BASE_GRACE_H
#define ULF_RUNTIME_BASE_GRACE_H

#include <stdbool.h>

/* Register this process for membarrier().  May be called again. */
void grace_init(void);
/* Returns true if grace_wait() also restarts rseq sections.  Any context. */
bool grace_has_rseq(void);
/* Restart every rseq section that a thread is in.  Does not sleep; the lock may be held
 * or not.  Returns 0 or -errno of membarrier(). */
int grace_restart_sections(void);
/*
 * Wait until every probe that runs now has returned, then free the memory that was given
 * to grace_free() before.  Sleeps.  The caller must not be in a probe.
 * @timeout_ms: limit of the wait; negative: none.
 * Returns 0, -ETIMEDOUT or -errno of membarrier().  On failure the memory is freed by a
 * later call.
 */
int grace_wait(int timeout_ms);
/* Have the next grace_wait() call memory_free(@ptr).  Lock held. */
void grace_free(void *ptr);

#endif
