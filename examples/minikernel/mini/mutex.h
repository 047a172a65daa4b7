/* SPDX-License-Identifier: MIT */
/* A sleeping lock: a task that must wait gives up the CPU.  Tasks get the lock in the
 * order in which they came. */
#ifndef MINI_MUTEX_H
#define MINI_MUTEX_H

#include <mini/list.h>
#include <mini/spinlock.h>

struct mutex {
	spinlock_t wait_lock;
	struct task_struct *owner;
	struct list_head wait_list;
};

void mutex_init(struct mutex *lock);
void mutex_lock(struct mutex *lock);
void mutex_unlock(struct mutex *lock);

#endif
