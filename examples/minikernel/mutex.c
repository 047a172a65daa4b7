/* SPDX-License-Identifier: MIT */
/*
 * The sleeping lock.  Unlocking wakes the first waiter.  Until the waiter runs, other
 * tasks may take the lock, because it would be idle otherwise.  A waiter that finds the
 * lock taken again requests it, and the next unlock then gives the lock to this waiter.
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

/* Try to take the lock, with wait_lock held.  Returns true if the caller has the lock, even
 * if the previous holder has given the lock to the caller. */
static __attribute__((noinline)) bool __mutex_trylock(struct mutex *lock)
{
	if (!lock->owner)
		lock->owner = current;
	return lock->owner == current;
}

/* Wait for the lock.  wait_lock is held at the start and at the end; interrupts were on
 * before. */
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

/* Take the lock; this may sleep.  Only tasks may call this, with interrupts on. */
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
