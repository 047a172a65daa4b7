/* SPDX-License-Identifier: MIT */
/*
 * Interrupts, and the softirqs that do their longer work.
 *
 * A virtual CPU's interrupt is the signal SIGRTMIN + cpu, sent to the process.  Only the
 * task that runs on that CPU has it unblocked, so the real kernel delivers it to that
 * task's thread.
 */
#ifndef MINI_IRQ_H
#define MINI_IRQ_H

#include <mini/types.h>

/* Lines of the interrupt controller. */
#define IRQ_TIMER	0
#define IRQ_TTYS0	4	/* the console's keyboard */
#define IRQ_ACPI	9	/* the power button */
#define IRQ_ETH0	11
#define IRQ_RESCHED	31	/* interrupt from another CPU, without a handler: check
				 * the run queue */
#define NR_IRQS		32

#define IRQ_NONE	0
#define IRQ_HANDLED	1
typedef int irqreturn_t;
typedef irqreturn_t (*irq_handler_t)(int irq, void *dev);

struct irqaction {
	irq_handler_t handler;	/* called in a signal handler, with interrupts off */
	const char *name;
	void *dev;
};

int irq_init(void);
void irq_done(void);
int request_irq(int irq, irq_handler_t handler, const char *name, void *dev);

/* Raise an interrupt.  Any thread and any signal handler may call this. */
void raise_irq(int cpu, int irq);

/* Wait for an interrupt.  The idle task calls this with interrupts off, and they are off
 * afterwards. */
void wait_for_interrupt(int cpu);

/* Set the one-shot clock of @cpu to the absolute time @ns of ktime_get()'s clock. */
void clockevents_program(int cpu, ktime_t ns);

/* Softirq numbers are macros because print formats contain them: a reader of the format
 * does not know the value of an enumerator. */
#define HI_SOFTIRQ		0
#define TIMER_SOFTIRQ		1
#define NET_TX_SOFTIRQ		2
#define NET_RX_SOFTIRQ		3
#define BLOCK_SOFTIRQ		4
#define IRQ_POLL_SOFTIRQ	5
#define TASKLET_SOFTIRQ		6
#define SCHED_SOFTIRQ		7
#define HRTIMER_SOFTIRQ		8
#define RCU_SOFTIRQ		9
#define NR_SOFTIRQS		10

/* The parts of preempt_count. */
#define SOFTIRQ_OFFSET	0x00000100
#define HARDIRQ_OFFSET	0x00010000
#define in_interrupt()	(current->preempt_count != 0)

int softirq_init(void);
void softirq_done(void);
void open_softirq(unsigned int nr, void (*action)(void));
void raise_softirq(unsigned int nr);
void local_bh_disable(void);
void local_bh_enable(void);

/* Run the softirqs that an interrupt has raised.  Called at the end of the interrupt, with
 * interrupts off. */
void irq_exit_softirq(void);

#endif
