/* SPDX-License-Identifier: MIT */
/* See ../kthread.h. */
#ifndef STUB_LINUX_NUMA_BALANCING_H
#define STUB_LINUX_NUMA_BALANCING_H

#include <linux/kthread.h>

static inline pid_t task_numa_group_id(struct task_struct *task)
{
	return task->tgid;
}

#endif
