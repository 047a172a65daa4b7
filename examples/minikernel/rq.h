/* SPDX-License-Identifier: MIT */
/* The run queues, which core.c (when tasks run) and fair.c (which task is next, and where)
 * share.  sched_lock protects everything here. */
#ifndef MINIKERNEL_RQ_H
#define MINIKERNEL_RQ_H

#include <mini/sched.h>

struct rq {
	struct list_head queue;		/* runnable tasks ordered by vruntime, without
					 * curr */
	struct task_struct *curr, *idle;
	unsigned int nr_queued;
	u64 min_vruntime;
	u64 nr_switches;
	unsigned int ticks;
	int real_cpu;			/* CPU of the real machine; -1 if tasks are not pinned */
};

extern spinlock_t sched_lock;
extern struct rq runqueues[NR_CPUS];

void enqueue_task(struct rq *rq, struct task_struct *p);
void update_curr(struct rq *rq);
int select_task_rq(const struct task_struct *p);
void set_task_cpu(struct task_struct *p, int cpu);
void activate_task(struct task_struct *p);	/* puts the task on its CPU's queue */
struct task_struct *pull_task(int cpu);
struct task_struct *pick_next_task(struct rq *rq);

#endif
