/* SPDX-License-Identifier: MIT */
/*
 * Ask the scheduler for short slices.
 *
 * A thread that wakes up while all CPUs are busy waits until a running thread has used its slice:
 * some milliseconds.  Since Linux 6.12, a thread with a shorter slice need not wait for that.  It
 * gets no more CPU time than before.  Switching a function takes several wake-ups, one after the
 * other, in the server, the stopper and the agent.  Older kernels ignore the length.
 */
#ifndef ULF_BASE_SLICE_H
#define ULF_BASE_SLICE_H

#include <assert.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLICE_NS		100000u	/* shortest slice that Linux accepts, ns */
#define SLICE_RESET_ON_FORK	1u	/* SCHED_FLAG_RESET_ON_FORK: children get normal slices */
#define SLICE_KEEP_POLICY	8u	/* SCHED_FLAG_KEEP_POLICY */

/* struct sched_attr, which glibc does not declare. */
struct slice_attr {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
};

static_assert(sizeof(struct slice_attr) == 48, "SCHED_ATTR_SIZE_VER0");

/* Change @attr, the attributes of a thread that sched_getattr() has returned, so that
 * sched_setattr() gives the thread short slices.  Returns false if the thread has a scheduling
 * policy without slices. */
static inline bool slice_shorten(struct slice_attr *attr, bool for_children)
{
	if (attr->policy != SCHED_OTHER && attr->policy != SCHED_BATCH)
		return false;
	attr->size = sizeof(*attr);
	/* With SLICE_KEEP_POLICY the kernel ignores SLICE_RESET_ON_FORK. */
	attr->flags = for_children ? SLICE_KEEP_POLICY : SLICE_RESET_ON_FORK;
	attr->runtime = SLICE_NS;
	return true;
}

/* Ask for short slices of the calling thread.  @for_children: threads and processes that it starts
 * later get them, too. */
static inline void slice_shorten_own(bool for_children)
{
	struct slice_attr attr;

	if (!syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) &&
	    slice_shorten(&attr, for_children))
		syscall(SYS_sched_setattr, 0, &attr, 0);
}

#endif
