/* SPDX-License-Identifier: MIT */
/* Workqueues: each CPU has a list of work and a few kworkers, which take work from the list. */
#include <errno.h>

#include <mini/sched.h>
#include <mini/workqueue.h>

#include "trace/events/workqueue.h"

#define WORKERS_A_POOL	2

struct worker {
	struct list_head node;		/* entry of the list of idle workers, or a list of
					 * its own */
	struct worker_pool *pool;
	struct task_struct *task;
	struct work_struct *current_work;
};

struct pool {
	struct worker_pool pool;	/* the part of the pool that events read */
	spinlock_t lock;		/* protects all members below */
	struct list_head worklist;
	struct list_head idle_list;
	struct worker workers[WORKERS_A_POOL];
};

static struct pool pools[NR_CPUS];

struct workqueue_struct system_wq;

void alloc_workqueue(struct workqueue_struct *wq, const char *name)
{
	int cpu;

	wq->name = name;
	for_each_cpu(cpu)
		wq->pwq[cpu] = (struct pool_workqueue){ &pools[cpu].pool, wq };
}

void INIT_WORK(struct work_struct *work, work_func_t func)
{
	atomic_init(&work->pending, false);
	INIT_LIST_HEAD(&work->entry);
	work->func = func;
}

/* Queue the work.  The work is marked as pending, so only the caller has it. */
static void __queue_work(int req_cpu, struct workqueue_struct *wq, struct work_struct *work)
{
	int cpu = req_cpu == WORK_CPU_UNBOUND ? current->cpu : req_cpu;
	struct pool *pool = &pools[cpu];
	struct worker *worker;
	bool flags;

	spin_lock_irqsave(&pool->lock, flags);
	work->pwq = &wq->pwq[cpu];
	trace_workqueue_queue_work(req_cpu, work->pwq, work);
	trace_workqueue_activate_work(work);
	list_add_tail(&work->entry, &pool->worklist);
	if (!list_empty(&pool->idle_list)) {
		worker = list_first_entry(&pool->idle_list, struct worker, node);
		list_del_init(&worker->node);
		wake_up_process(worker->task);
	}
	spin_unlock_irqrestore(&pool->lock, flags);
}

bool queue_work_on(int cpu, struct workqueue_struct *wq, struct work_struct *work)
{
	if (atomic_exchange(&work->pending, true))
		return false;
	__queue_work(cpu, wq, work);
	return true;
}

bool queue_work(struct workqueue_struct *wq, struct work_struct *work)
{
	return queue_work_on(WORK_CPU_UNBOUND, wq, work);
}

static void delayed_work_timer_fn(struct timer_list *timer)
{
	struct delayed_work *dwork = container_of(timer, struct delayed_work, timer);

	__queue_work(WORK_CPU_UNBOUND, dwork->wq, &dwork->work);
}

void INIT_DELAYED_WORK(struct delayed_work *dwork, work_func_t func)
{
	INIT_WORK(&dwork->work, func);
	atomic_init(&dwork->cancelled, false);
	timer_setup(&dwork->timer, delayed_work_timer_fn, TIMER_IRQSAFE);
}

bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *dwork,
			unsigned long delay)
{
	if (atomic_load(&dwork->cancelled) || atomic_exchange(&dwork->work.pending, true))
		return false;
	dwork->wq = wq;
	mod_timer(&dwork->timer, jiffies + delay);
	return true;
}

static bool work_is_running(struct work_struct *work)
{
	bool flags, running = false;
	int cpu, i;

	for_each_cpu(cpu) {
		spin_lock_irqsave(&pools[cpu].lock, flags);
		for (i = 0; i < WORKERS_A_POOL; i++)
			if (pools[cpu].workers[i].current_work == work)
				running = true;
		spin_unlock_irqrestore(&pools[cpu].lock, flags);
	}
	return running;
}

/*
 * Cancel delayed work.  The work may wait for its time or for a worker, or it may run and
 * queue itself again.
 */
void cancel_delayed_work_sync(struct delayed_work *dwork)
{
	atomic_store(&dwork->cancelled, true);
	for (;;) {
		if (del_timer_sync(&dwork->timer))
			atomic_store(&dwork->work.pending, false);
		if (!atomic_load(&dwork->work.pending) && !work_is_running(&dwork->work))
			return;
		set_current_state(TASK_UNINTERRUPTIBLE);
		schedule_timeout(1);
	}
}

/* Run one item of work.  pool->lock is held and interrupts are off, except while the work
 * runs. */
static void process_one_work(struct pool *pool, struct worker *worker)
{
	struct work_struct *work = list_first_entry(&pool->worklist, struct work_struct, entry);
	work_func_t func = work->func;

	list_del_init(&work->entry);
	worker->current_work = work;
	atomic_store(&work->pending, false);
	spin_unlock(&pool->lock);
	local_irq_enable();
	trace_workqueue_execute_start(work);
	func(work);
	trace_workqueue_execute_end(work, func);
	cond_resched();
	local_irq_disable();
	spin_lock(&pool->lock);
	worker->current_work = NULL;
}

static int worker_thread(void *arg)
{
	struct worker *worker = arg;
	struct pool *pool = container_of(worker->pool, struct pool, pool);
	bool flags;

	spin_lock_irqsave(&pool->lock, flags);
	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		if (!list_empty(&pool->worklist)) {
			set_current_state(TASK_RUNNING);
			process_one_work(pool, worker);
			continue;
		}
		list_add(&worker->node, &pool->idle_list);
		spin_unlock_irqrestore(&pool->lock, flags);
		schedule();
		spin_lock_irqsave(&pool->lock, flags);
		list_del_init(&worker->node);
	}
	set_current_state(TASK_RUNNING);
	spin_unlock_irqrestore(&pool->lock, flags);
	return 0;
}

static int create_workers(struct pool *pool)
{
	int i;

	for (i = 0; i < WORKERS_A_POOL; i++) {
		struct worker *worker = &pool->workers[i];

		INIT_LIST_HEAD(&worker->node);
		worker->pool = &pool->pool;
		worker->task = kthread_run(worker_thread, worker, pool->pool.cpu,
					   "kworker/%d:%d", pool->pool.cpu, i);
		if (!worker->task)
			return -ENOMEM;
	}
	return 0;
}

int workqueue_init(void)
{
	int cpu, r;

	for_each_cpu(cpu) {
		pools[cpu].pool.cpu = cpu;
		spin_lock_init(&pools[cpu].lock);
		INIT_LIST_HEAD(&pools[cpu].worklist);
		INIT_LIST_HEAD(&pools[cpu].idle_list);
		r = create_workers(&pools[cpu]);
		if (r < 0)
			return r;
	}
	alloc_workqueue(&system_wq, "events");
	return 0;
}

void workqueue_done(void)
{
	int cpu, i;

	for_each_cpu(cpu)
		for (i = 0; i < WORKERS_A_POOL; i++)
			kthread_stop(pools[cpu].workers[i].task);
}
