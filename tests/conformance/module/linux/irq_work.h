/* SPDX-License-Identifier: MIT */
/* Work in an interrupt, which runs at once in a signal handler here. */
#ifndef LINUX_IRQ_WORK_H
#define LINUX_IRQ_WORK_H

#include <signal.h>
#include <stddef.h>

struct irq_work {
	void (*func)(struct irq_work *work);
};

static struct irq_work *irq_work_queued;

static inline void irq_work_interrupt(int sig)
{
	(void)sig;
	irq_work_queued->func(irq_work_queued);
}

static inline void init_irq_work(struct irq_work *work, void (*func)(struct irq_work *work))
{
	work->func = func;
}

static inline void irq_work_queue(struct irq_work *work)
{
	struct sigaction action = { .sa_handler = irq_work_interrupt }, old;

	irq_work_queued = work;
	sigaction(SIGUSR2, &action, &old);
	raise(SIGUSR2);
	sigaction(SIGUSR2, &old, NULL);
}

static inline void irq_work_sync(struct irq_work *work)
{
	(void)work;
}

#endif
