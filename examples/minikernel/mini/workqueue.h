/* SPDX-License-Identifier: MIT */
/* Work that is handed to kernel threads: each CPU has a pool of kworkers. */
#ifndef MINI_WORKQUEUE_H
#define MINI_WORKQUEUE_H

#include <mini/list.h>
#include <mini/time.h>

#define WORK_CPU_UNBOUND	NR_CPUS

struct work_struct;
typedef void (*work_func_t)(struct work_struct *work);

struct worker_pool;
struct workqueue_struct;

/* Connection between a workqueue and a CPU's pool. */
struct pool_workqueue {
	struct worker_pool *pool;
	struct workqueue_struct *wq;
};

struct workqueue_struct {
	const char *name;
	struct pool_workqueue pwq[NR_CPUS];
};

struct worker_pool {
	int cpu;
};

struct work_struct {
	atomic_bool pending;
	struct list_head entry;
	struct pool_workqueue *pwq;
	work_func_t func;
};

struct delayed_work {
	struct work_struct work;
	struct timer_list timer;
	struct workqueue_struct *wq;
	atomic_bool cancelled;		/* true: the work is never queued again */
};

extern struct workqueue_struct system_wq;	/* "events" */

int workqueue_init(void);
void workqueue_done(void);	/* called in a task; no work may be queued afterwards */
void alloc_workqueue(struct workqueue_struct *wq, const char *name);

void INIT_WORK(struct work_struct *work, work_func_t func);
void INIT_DELAYED_WORK(struct delayed_work *dwork, work_func_t func);
/* Queue work on a CPU.  Returns false if the work was queued already. */
bool queue_work_on(int cpu, struct workqueue_struct *wq, struct work_struct *work);
bool queue_work(struct workqueue_struct *wq, struct work_struct *work);
bool queue_delayed_work(struct workqueue_struct *wq, struct delayed_work *dwork,
			unsigned long delay);
void cancel_delayed_work_sync(struct delayed_work *dwork);

#endif
