/* SPDX-License-Identifier: MIT */
/* Wait queues: tasks sleep until another task or an interrupt wakes them. */
#include <mini/sched.h>

void init_waitqueue_head(struct wait_queue_head *wq)
{
	spin_lock_init(&wq->lock);
	INIT_LIST_HEAD(&wq->head);
}

/* Prepare to sleep: first put the task on the queue, then set the sleeping state.  After
 * that the caller checks its condition.  In this order no wake-up is lost. */
void prepare_to_wait(struct wait_queue_head *wq, struct wait_queue_entry *entry,
		     unsigned int state)
{
	bool flags;

	spin_lock_irqsave(&wq->lock, flags);
	if (!entry->task) {
		entry->task = current;
		list_add_tail(&entry->node, &wq->head);
	}
	set_current_state(state);
	spin_unlock_irqrestore(&wq->lock, flags);
}

void finish_wait(struct wait_queue_head *wq, struct wait_queue_entry *entry)
{
	bool flags;

	set_current_state(TASK_RUNNING);
	spin_lock_irqsave(&wq->lock, flags);
	list_del_init(&entry->node);
	spin_unlock_irqrestore(&wq->lock, flags);
}

void wake_up(struct wait_queue_head *wq)
{
	struct wait_queue_entry *entry;
	bool flags;

	spin_lock_irqsave(&wq->lock, flags);
	list_for_each_entry(entry, &wq->head, node)
		wake_up_process(entry->task);
	spin_unlock_irqrestore(&wq->lock, flags);
}
