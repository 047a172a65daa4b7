/* SPDX-License-Identifier: MIT */
/*
 * Softirqs: work that an interrupt leaves for later, with interrupts on again.
 *
 * They run at the end of an interrupt, or when a task enables them again.  If they keep
 * raising themselves, the CPU's ksoftirqd takes over, so that tasks get their turn.
 */
#include <errno.h>

#include <mini/irq.h>
#include <mini/sched.h>

#include "trace/events/irq.h"

#define MAX_SOFTIRQ_RESTART	3

static void (*softirq_vec[NR_SOFTIRQS])(void);	/* set while booting */
static atomic_uint softirq_pending[NR_CPUS];	/* only that CPU uses its word */
static struct task_struct *ksoftirqd[NR_CPUS];

void open_softirq(unsigned int nr, void (*action)(void))
{
	softirq_vec[nr] = action;
}

static void wakeup_softirqd(void)
{
	struct task_struct *p = ksoftirqd[current->cpu];

	if (p)
		wake_up_process(p);
}

void raise_softirq(unsigned int nr)
{
	bool flags = local_irq_save();

	trace_softirq_raise(nr);
	atomic_fetch_or(&softirq_pending[current->cpu], 1u << nr);
	if (!in_interrupt())
		wakeup_softirqd();
	local_irq_restore(flags);
}

static void handle_softirqs(unsigned int pending)
{
	unsigned int nr;

	while (pending) {
		nr = (unsigned int)__builtin_ctz(pending);
		pending &= pending - 1;
		trace_softirq_entry(nr);
		softirq_vec[nr]();
		trace_softirq_exit(nr);
	}
}

/* Run the pending softirqs.  Interrupts are off at the start and the end, and on while the
 * work is done. */
static void __do_softirq(void)
{
	int cpu = current->cpu, restart = MAX_SOFTIRQ_RESTART;
	unsigned int pending;

	current->preempt_count += SOFTIRQ_OFFSET;
	while ((pending = atomic_exchange(&softirq_pending[cpu], 0))) {
		local_irq_enable();
		handle_softirqs(pending);
		local_irq_disable();
		if (--restart == 0) {
			if (atomic_load(&softirq_pending[cpu]))
				wakeup_softirqd();
			break;
		}
	}
	current->preempt_count -= SOFTIRQ_OFFSET;
}

void irq_exit_softirq(void)
{
	if (!in_interrupt() && atomic_load(&softirq_pending[current->cpu]))
		__do_softirq();
}

void local_bh_disable(void)
{
	current->preempt_count += SOFTIRQ_OFFSET;
}

void local_bh_enable(void)
{
	bool flags;

	current->preempt_count -= SOFTIRQ_OFFSET;
	if (in_interrupt() || !atomic_load(&softirq_pending[current->cpu]))
		return;
	flags = local_irq_save();
	__do_softirq();
	local_irq_restore(flags);
}

static int run_ksoftirqd(void *arg)
{
	(void)arg;
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		if (!atomic_load(&softirq_pending[current->cpu])) {
			schedule();
			continue;
		}
		set_current_state(TASK_RUNNING);
		local_irq_disable();
		__do_softirq();
		local_irq_enable();
		cond_resched();
	}
	set_current_state(TASK_RUNNING);
	return 0;
}

int softirq_init(void)
{
	int cpu;

	for_each_cpu(cpu) {
		ksoftirqd[cpu] = kthread_run(run_ksoftirqd, NULL, cpu, "ksoftirqd/%d", cpu);
		if (!ksoftirqd[cpu])
			return -ENOMEM;
	}
	return 0;
}

/* End the softirqs.  Called in a task, when no device can raise softirqs any more. */
void softirq_done(void)
{
	struct task_struct *p;
	int cpu;

	for_each_cpu(cpu) {
		p = ksoftirqd[cpu];
		ksoftirqd[cpu] = NULL;
		kthread_stop(p);
	}
}
