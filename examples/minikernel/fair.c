/* SPDX-License-Identifier: MIT */
/*
 * Fair scheduling: the task with the least virtual run time runs next.  Virtual run time
 * is run time weighted by niceness.  A task that wakes up goes to a CPU with free time.
 */
#include <mini/time.h>

#include "rq.h"
#include "trace/events/sched.h"

#define SLICE			(3 * NSEC_PER_MSEC)
#define NICE_0_LOAD		1024

void enqueue_task(struct rq *rq, struct task_struct *p)
{
	struct task_struct *pos;

	list_for_each_entry(pos, &rq->queue, run_node)
		if (p->vruntime < pos->vruntime)
			break;
	list_add_tail(&p->run_node, &pos->run_node);
	rq->nr_queued++;
}

static void dequeue_task(struct rq *rq, struct task_struct *p)
{
	list_del_init(&p->run_node);
	rq->nr_queued--;
}

/* Update the least virtual run time of all tasks that want the CPU.  This value never
 * decreases. */
static void update_min_vruntime(struct rq *rq)
{
	u64 least = rq->curr->vruntime;
	struct task_struct *first;

	if (!list_empty(&rq->queue)) {
		first = list_first_entry(&rq->queue, struct task_struct, run_node);
		if (first->vruntime < least)
			least = first->vruntime;
	}
	if (least > rq->min_vruntime)
		rq->min_vruntime = least;
}

/* Account the running task's time up to now. */
void update_curr(struct rq *rq)
{
	struct task_struct *curr = rq->curr;
	u64 now = (u64)ktime_get();
	u64 delta = now - curr->exec_start;

	if (curr == rq->idle || !delta)
		return;
	curr->exec_start = now;
	curr->sum_exec_runtime += delta;
	curr->vruntime += delta * NICE_0_LOAD / curr->weight;
	update_min_vruntime(rq);
	trace_sched_stat_runtime(curr, delta, curr->vruntime);
}

static bool cpu_is_idle(int cpu)
{
	return runqueues[cpu].curr == runqueues[cpu].idle && !runqueues[cpu].nr_queued;
}

/* Choose a CPU for @p: the CPU on which it last ran if this CPU is idle, else any idle CPU,
 * else the CPU with the shortest queue. */
int select_task_rq(const struct task_struct *p)
{
	int cpu, best = -1;

	if ((p->cpus_allowed & (1u << p->cpu)) && cpu_is_idle(p->cpu))
		return p->cpu;
	for_each_cpu(cpu) {
		if (!(p->cpus_allowed & (1u << cpu)))
			continue;
		if (cpu_is_idle(cpu))
			return cpu;
		if (best < 0 || runqueues[cpu].nr_queued < runqueues[best].nr_queued)
			best = cpu;
	}
	return best;
}

/* Move a task to another CPU, and convert its virtual run time: the times of two queues are
 * not comparable. */
void set_task_cpu(struct task_struct *p, int cpu)
{
	trace_sched_migrate_task(p, cpu);
	p->vruntime += runqueues[cpu].min_vruntime;
	p->vruntime -= p->vruntime < runqueues[p->cpu].min_vruntime ?
		p->vruntime : runqueues[p->cpu].min_vruntime;
	p->cpu = cpu;
}

void activate_task(struct task_struct *p)
{
	struct rq *rq = &runqueues[p->cpu];

	/* A task that has slept gets a small advantage, but cannot save up time. */
	if (p->vruntime + SLICE < rq->min_vruntime)
		p->vruntime = rq->min_vruntime - SLICE;
	p->on_rq = true;
	enqueue_task(rq, p);
}

static unsigned int nr_running(const struct rq *rq)
{
	return rq->nr_queued + (rq->curr != rq->idle);
}

/* Take a waiting task that may run on @cpu from the longest other queue.  Never take the
 * only task of a CPU: it is about to run there. */
struct task_struct *pull_task(int cpu)
{
	struct task_struct *p;
	int other, busiest = -1;

	for_each_cpu(other)
		if (other != cpu && runqueues[other].nr_queued &&
		    nr_running(&runqueues[other]) > 1 &&
		    (busiest < 0 ||
		     runqueues[other].nr_queued > runqueues[busiest].nr_queued))
			busiest = other;
	if (busiest < 0)
		return NULL;
	list_for_each_entry(p, &runqueues[busiest].queue, run_node) {
		if (!(p->cpus_allowed & (1u << cpu)))
			continue;
		dequeue_task(&runqueues[busiest], p);
		set_task_cpu(p, cpu);
		enqueue_task(&runqueues[cpu], p);
		return p;
	}
	return NULL;
}

struct task_struct *pick_next_task(struct rq *rq)
{
	struct task_struct *next;

	if (list_empty(&rq->queue) && !pull_task((int)(rq - runqueues)))
		return rq->idle;
	next = list_first_entry(&rq->queue, struct task_struct, run_node);
	dequeue_task(rq, next);
	return next;
}

/* Set the niceness of a task.  Each step of niceness gives a quarter more or less of the
 * CPU. */
void set_user_nice(struct task_struct *p, int nice)
{
	u32 weight = NICE_0_LOAD;
	bool flags;
	int i;

	for (i = 0; i < nice; i++)
		weight = weight * 4 / 5;
	for (i = 0; i > nice; i--)
		weight = weight * 5 / 4;
	spin_lock_irqsave(&sched_lock, flags);
	p->prio = NICE_TO_PRIO(nice);
	p->weight = weight ? weight : 1;
	spin_unlock_irqrestore(&sched_lock, flags);
}
