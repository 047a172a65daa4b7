/* SPDX-License-Identifier: MIT */
/* Switching off: the button's interrupt queues work, the work sends a signal to init, and
 * init ends the services and then everything else in the right order. */
#include <signal.h>

#include <mini/fs.h>
#include <mini/irq.h>
#include <mini/power.h>
#include <mini/sched.h>
#include <mini/workqueue.h>

static struct work_struct poweroff_work;

static void poweroff_work_func(struct work_struct *work)
{
	(void)work;
	kernel_kill(find_task_by_comm("init"), SIGTERM);
}

static irqreturn_t power_button_interrupt(int irq, void *dev)
{
	(void)irq;
	(void)dev;
	queue_work(&system_wq, &poweroff_work);
	return IRQ_HANDLED;
}

int power_init(void)
{
	INIT_WORK(&poweroff_work, poweroff_work_func);
	return request_irq(IRQ_ACPI, power_button_interrupt, "acpi", NULL);
}

void press_power_button(void)
{
	raise_irq(0, IRQ_ACPI);
}

/* Switch everything off.  Users of a part end before the part itself: work, its workers,
 * softirqs, the clock. */
void kernel_power_off(void)
{
	int cpu;

	writeback_done();
	workqueue_done();
	softirq_done();
	for_each_cpu(cpu)
		tick_stop(cpu);
	sched_halt();
}
