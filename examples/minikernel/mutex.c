/* SPDX-License-Identifier: MIT */
/*
 * The sleeping lock.  Unlocking wakes the first who waits; until that one runs,
 * others may take the lock, as it would be idle otherwise.  But a waiter that
 * finds it taken again asks for it, and then unlocking gives it to him.
 */
#include <mini/mutex.h>
#include <mini/sched.h>

struct mutex_waiter {
	struct list_head list;
	struct task_struct *task;
	bool wants_handoff;
};

void mutex_init(struct mutex *lock)
{
	spin_lock_init(&lock->wait_lock);
	lock->owner = NULL;
	INIT_LIST_HEAD(&lock->wait_list);
}

/* wait_lock is held.  True if the lock is ours, also if it was given to us. */
static __attribute__((noinline)) bool __mutex_trylock(struct mutex *lock)
{
	if (!lock->owner)
		lock->owner = current;
	return lock->owner == current;
}

/* wait_lock is held, and is so again at the end; interrupts were on before. */
static void __mutex_lock_slowpath(struct mutex *lock)
{
	struct mutex_waiter waiter = { .task = current };

	list_add_tail(&waiter.list, &lock->wait_list);
	for (;;) {
		set_current_state(TASK_UNINTERRUPTIBLE);
		spin_unlock(&lock->wait_lock);
		local_irq_enable();
		schedule();
		local_irq_disable();
		spin_lock(&lock->wait_lock);
		if (__mutex_trylock(lock))
			break;
		waiter.wants_handoff = true;
	}
	set_current_state(TASK_RUNNING);
	list_del_init(&waiter.list);
}

/* May sleep: in a task, with interrupts on. */
void mutex_lock(struct mutex *lock)
{
	bool flags;

	spin_lock_irqsave(&lock->wait_lock, flags);
	if (lock->owner == current)
		panic("mutex_lock() twice");
	if (!__mutex_trylock(lock))
		__mutex_lock_slowpath(lock);
	spin_unlock_irqrestore(&lock->wait_lock, flags);
}

void mutex_unlock(struct mutex *lock)
{
	struct mutex_waiter *first;
	bool flags;

	spin_lock_irqsave(&lock->wait_lock, flags);
	if (lock->owner != current)
		panic("mutex_unlock() of a lock that is not ours");
	lock->owner = NULL;
	if (!list_empty(&lock->wait_list)) {
		first = list_first_entry(&lock->wait_list, struct mutex_waiter, list);
		if (first->wants_handoff)
			lock->owner = first->task;
		wake_up_process(first->task);
	}
	spin_unlock_irqrestore(&lock->wait_lock, flags);
}
