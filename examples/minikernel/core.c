/* SPDX-License-Identifier: MIT */
/*
 * The scheduler's core: run queues, schedule(), and waking up.
 *
 * Each virtual CPU has a run queue ordered by virtual run time; one lock
 * serves them all.  It nests inside all other locks.
 */
#include <errno.h>
#include <sched.h>
#include <string.h>

#include <mini/irq.h>
#include <mini/sched.h>
#include <mini/time.h>

#include "rq.h"
#include "trace/events/sched.h"

#define WAKEUP_GRANULARITY	(1 * NSEC_PER_MSEC)
#define REBALANCE_TICKS		8

_Static_assert(TASK_REPORT_I == TASK_REPORT_IDLE, "the report's last state");

spinlock_t sched_lock = SPIN_LOCK_INIT;
struct rq runqueues[NR_CPUS];
static atomic_bool halted;

__thread struct task_struct *current_task;

long task_report_state(bool preempt, unsigned int state, const struct task_struct *p)
{
	unsigned int report;

	if (preempt)
		return TASK_REPORT_MAX;
	if (state == TASK_IDLE)
		return TASK_REPORT_IDLE;
	report = (state | (unsigned int)p->exit_state) & TASK_REPORT;
	if (!report)
		return TASK_RUNNING;
	/* Report the highest bit, because several bits may be set. */
	return 1L << (31 - __builtin_clz(report));
}

/* Assign the real CPUs that the program may use to the virtual ones. */
static void map_cpus(void)
{
	cpu_set_t allowed;
	int cpu, real = -1;

	for_each_cpu(cpu)
		runqueues[cpu].real_cpu = -1;
	if (sched_getaffinity(0, sizeof(allowed), &allowed) || !CPU_COUNT(&allowed))
		return;
	for_each_cpu(cpu) {
		do {
			real = (real + 1) % CPU_SETSIZE;
		} while (!CPU_ISSET(real, &allowed));
		runqueues[cpu].real_cpu = real;
	}
}

/* Pin the thread of a task to the real CPU that stands for its virtual CPU, so that the CPU
 * column of a trace matches the events.  The scheduler also works without pinning. */
static void pin_task(struct task_struct *p)
{
	cpu_set_t set;
	int real = runqueues[p->cpu].real_cpu;

	if (real < 0 || p->pinned_cpu == p->cpu)
		return;
	CPU_ZERO(&set);
	CPU_SET(real, &set);
	if (sched_setaffinity(p->pid, sizeof(set), &set) == 0)
		p->pinned_cpu = p->cpu;
}

static void resched_curr(struct rq *rq)
{
	int cpu = (int)(rq - runqueues);

	if (atomic_exchange(&rq->curr->need_resched, true))
		return;
	if (cpu != current->cpu || rq->curr != current)
		raise_irq(cpu, IRQ_RESCHED);
}

static void check_preempt_curr(struct rq *rq, const struct task_struct *p)
{
	struct task_struct *curr = rq->curr;

	if (curr == rq->idle || p->vruntime + WAKEUP_GRANULARITY < curr->vruntime)
		resched_curr(rq);
}

bool try_to_wake_up(struct task_struct *p, unsigned int state)
{
	bool flags, woken = false;
	int cpu;

	spin_lock_irqsave(&sched_lock, flags);
	if (!(atomic_load(&p->__state) & state))
		goto unlock;
	woken = true;
	trace_sched_waking(p);
	if (!p->on_rq) {
		cpu = select_task_rq(p);
		if (cpu != p->cpu)
			set_task_cpu(p, cpu);
		activate_task(p);
		check_preempt_curr(&runqueues[p->cpu], p);
	}
	/* If the task is still on the queue, it is about to sleep, and schedule() will find
	 * it runnable. */
	atomic_store(&p->__state, TASK_RUNNING);
	trace_sched_wakeup(p);
unlock:
	spin_unlock_irqrestore(&sched_lock, flags);
	return woken;
}

bool wake_up_process(struct task_struct *p)
{
	return try_to_wake_up(p, TASK_NORMAL);
}

void wake_up_new_task(struct task_struct *p)
{
	bool flags;

	spin_lock_irqsave(&sched_lock, flags);
	atomic_store(&p->__state, TASK_RUNNING);
	p->cpu = select_task_rq(p);
	p->vruntime = runqueues[p->cpu].min_vruntime;
	activate_task(p);
	trace_sched_wakeup_new(p);
	check_preempt_curr(&runqueues[p->cpu], p);
	spin_unlock_irqrestore(&sched_lock, flags);
}

/* Hand the CPU to @next and wait until @prev gets it back.  After sched_lock is released,
 * another CPU may wake @prev and post its baton before @prev waits.  The semaphore counts
 * that post.  Until the wait has ended, @prev touches nothing that is shared. */
static void context_switch(struct task_struct *prev, struct task_struct *next, bool dead)
{
	pin_task(next);
	spin_unlock(&sched_lock);
	sem_post(&next->baton);
	if (dead)
		return;
	while (sem_wait(&prev->baton) && errno == EINTR)
		;
}

static void __schedule(bool preempt)
{
	struct task_struct *prev = current, *next;
	bool flags, dead = false;
	unsigned int state;
	struct rq *rq;

	if (in_interrupt())
		panic("schedule() in an interrupt");
	spin_lock_irqsave(&sched_lock, flags);
	rq = &runqueues[prev->cpu];
	update_curr(rq);
	atomic_store(&prev->need_resched, false);
	state = atomic_load(&prev->__state);
	if (!preempt && state != TASK_RUNNING) {
		if ((state & TASK_INTERRUPTIBLE) && signal_pending(prev)) {
			atomic_store(&prev->__state, TASK_RUNNING);
			state = TASK_RUNNING;
		} else {
			prev->on_rq = false;
			dead = state == TASK_DEAD;
		}
	}
	if (prev->on_rq && prev != rq->idle)
		enqueue_task(rq, prev);

	next = pick_next_task(rq);
	if (next == prev) {
		spin_unlock(&sched_lock);
	} else {
		rq->curr = next;
		rq->nr_switches++;
		next->exec_start = (u64)ktime_get();
		trace_sched_switch(preempt, prev, next, state);
		context_switch(prev, next, dead);
	}
	local_irq_restore(flags);
}

void schedule(void)
{
	__schedule(false);
}

bool need_resched(void)
{
	return atomic_load_explicit(&current->need_resched, memory_order_relaxed);
}

void cond_resched(void)
{
	if (need_resched() && !in_interrupt() && !(current->flags & PF_IDLE))
		__schedule(true);
}

void schedule_tail(void)
{
	while (sem_wait(&current->baton) && errno == EINTR)
		;
	local_irq_enable();
}

/* Switch away from a task for the last time.  Its thread continues to its end without a CPU. */
void do_task_dead(void)
{
	local_irq_disable();
	set_current_state(TASK_DEAD);
	__schedule(false);
	pthread_exit(NULL);
}

/* Preempt the running task if it has used its slice and other tasks wait. */
void scheduler_tick(void)
{
	struct rq *rq = &runqueues[current->cpu];
	struct task_struct *first;
	bool rebalance;

	spin_lock(&sched_lock);
	update_curr(rq);
	if (rq->curr != rq->idle && rq->nr_queued) {
		first = list_first_entry(&rq->queue, struct task_struct, run_node);
		if (first->vruntime < rq->curr->vruntime)
			resched_curr(rq);
	}
	rebalance = ++rq->ticks % REBALANCE_TICKS == 0;
	spin_unlock(&sched_lock);
	if (rebalance)
		raise_softirq(SCHED_SOFTIRQ);
}

/*
 * Do the work of the SCHED softirq: if this queue is shorter by two than another queue,
 * take a task from the longer one.
 */
static void run_rebalance_domains(void)
{
	int other, cpu = current->cpu;
	bool flags;

	spin_lock_irqsave(&sched_lock, flags);
	for_each_cpu(other) {
		if (runqueues[other].nr_queued < runqueues[cpu].nr_queued + 2)
			continue;
		if (pull_task(cpu))
			resched_curr(&runqueues[cpu]);
		break;
	}
	spin_unlock_irqrestore(&sched_lock, flags);
}

void copy_comm(char to[TASK_COMM_LEN], const char *from)
{
	size_t len = strnlen(from, TASK_COMM_LEN - 1);

	memcpy(to, from, len);
	memset(to + len, 0, TASK_COMM_LEN - len);
}

void set_task_comm(struct task_struct *p, const char *comm)
{
	bool flags;

	spin_lock_irqsave(&p->signal.siglock, flags);
	spin_lock(&sched_lock);
	copy_comm(p->comm, comm);
	spin_unlock(&sched_lock);
	spin_unlock_irqrestore(&p->signal.siglock, flags);
	if (p == current)
		pthread_setname_np(pthread_self(), p->comm);
}

u64 nr_context_switches(void)
{
	u64 sum = 0;
	bool flags;
	int cpu;

	spin_lock_irqsave(&sched_lock, flags);
	for_each_cpu(cpu)
		sum += runqueues[cpu].nr_switches;
	spin_unlock_irqrestore(&sched_lock, flags);
	return sum;
}

/* The idle task, which waits until another task wants the CPU. */
static int cpu_idle(void *arg)
{
	(void)arg;
	tick_start();
	while (!atomic_load(&halted)) {
		local_irq_disable();
		if (!need_resched())
			wait_for_interrupt(current->cpu);
		local_irq_enable();
		if (need_resched())
			schedule();
	}
	local_irq_disable();
	return 0;
}

int sched_init(void)
{
	struct rq *rq;
	int cpu;

	map_cpus();
	open_softirq(SCHED_SOFTIRQ, run_rebalance_domains);
	for_each_cpu(cpu) {
		rq = &runqueues[cpu];
		INIT_LIST_HEAD(&rq->queue);
		rq->idle = fork_idle(cpu, cpu_idle);
		if (!rq->idle)
			return -ENOMEM;
		rq->idle->on_rq = true;
		atomic_store(&rq->idle->__state, TASK_RUNNING);
		rq->curr = rq->idle;
	}
	return 0;
}

int sched_start_cpus(void)
{
	int cpu;

	for_each_cpu(cpu) {
		pin_task(runqueues[cpu].idle);
		sem_post(&runqueues[cpu].idle->baton);
	}
	return 0;
}

void sched_halt(void)
{
	int cpu;

	atomic_store(&halted, true);
	for_each_cpu(cpu)
		raise_irq(cpu, IRQ_RESCHED);
}

void sched_done(void)
{
	int cpu;

	for_each_cpu(cpu)
		release_task(runqueues[cpu].idle);
}
