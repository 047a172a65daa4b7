/* SPDX-License-Identifier: MIT */
/*
 * Interrupts: turn signals of the real machine into interrupt lines of virtual CPUs.
 *
 *	word                  | writers                       | reader
 *	chip[cpu].pending     | any thread, any handler (or)  | handler on cpu (exchange)
 *
 * A signal is sent only if the word was empty, so lines that are raised together make one
 * signal.  The clock's signal needs no bit in the word.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <mini/irq.h>
#include <mini/sched.h>
#include <mini/time.h>

#include "trace/events/irq.h"

struct irq_chip {
	atomic_uint pending;
	timer_t clock;
	bool has_clock;
};

static struct irq_chip chip[NR_CPUS];
static struct irqaction actions[NR_IRQS];	/* handlers of the interrupt lines; set
						 * while booting */
static sigset_t irq_signals;
static pid_t own_pid;

#define cpu_signal(cpu)	(SIGRTMIN + (cpu))

bool local_irq_save(void)
{
	if (current->irqs_disabled)
		return true;
	local_irq_disable();
	return false;
}

void local_irq_restore(bool flags)
{
	if (!flags)
		local_irq_enable();
}

void local_irq_disable(void)
{
	pthread_sigmask(SIG_BLOCK, &irq_signals, NULL);
	current->irqs_disabled = true;
}

/* Unblock only the signal of the CPU on which the task runs now. */
void local_irq_enable(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, cpu_signal(current->cpu));
	current->irqs_disabled = false;
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

/* Take a lock.  The holder may have lost its real CPU, so this function does not only spin. */
void spin_lock(spinlock_t *lock)
{
	int spins = 0;

	while (atomic_exchange_explicit(&lock->locked, 1, memory_order_acquire))
		while (atomic_load_explicit(&lock->locked, memory_order_relaxed))
			if (++spins % 128 == 0)
				sched_yield();
}

void spin_unlock(spinlock_t *lock)
{
	atomic_store_explicit(&lock->locked, 0, memory_order_release);
}

void raise_irq(int cpu, int irq)
{
	if (!atomic_fetch_or(&chip[cpu].pending, 1u << irq))
		kill(own_pid, cpu_signal(cpu));
}

static void handle_irq_event(int irq)
{
	struct irqaction *action = &actions[irq];
	irqreturn_t ret;

	if (!action->handler)
		return;
	trace_irq_handler_entry(irq, action);
	ret = action->handler(irq, action->dev);
	trace_irq_handler_exit(irq, action, ret);
}

/* The signal handler of all CPUs.  While it runs, interrupts are off. */
static void do_IRQ(int sig, siginfo_t *info, void *context)
{
	struct irq_chip *c = &chip[sig - SIGRTMIN];
	int saved_errno = errno;
	unsigned int pending;

	(void)context;
	current->irqs_disabled = true;
	current->preempt_count += HARDIRQ_OFFSET;
	pending = atomic_exchange(&c->pending, 0);
	if (info->si_code == SI_TIMER)
		pending |= 1u << IRQ_TIMER;
	while (pending) {
		handle_irq_event(__builtin_ctz(pending));
		pending &= pending - 1;
	}
	current->preempt_count -= HARDIRQ_OFFSET;
	irq_exit_softirq();
	current->irqs_disabled = false;
	errno = saved_errno;
}

int request_irq(int irq, irq_handler_t handler, const char *name, void *dev)
{
	if (irq < 0 || irq >= NR_IRQS)
		return -EINVAL;
	if (actions[irq].handler)
		return -EBUSY;
	actions[irq] = (struct irqaction){ handler, name, dev };
	return 0;
}

void wait_for_interrupt(int cpu)
{
	sigset_t set;

	pthread_sigmask(SIG_BLOCK, NULL, &set);
	sigdelset(&set, cpu_signal(cpu));
	current->irqs_disabled = false;
	sigsuspend(&set);
	current->irqs_disabled = true;
}

void clockevents_program(int cpu, ktime_t ns)
{
	struct itimerspec when = {
		.it_value.tv_sec = ns / NSEC_PER_SEC,
		.it_value.tv_nsec = ns % NSEC_PER_SEC,
	};

	timer_settime(chip[cpu].clock, TIMER_ABSTIME, &when, NULL);
}

/* Prepare interrupts.  main() calls this before any other thread of this program exists. */
int irq_init(void)
{
	struct sigaction action = { .sa_sigaction = do_IRQ, .sa_flags = SA_SIGINFO | SA_RESTART };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL };
	int cpu;

	own_pid = getpid();
	sigemptyset(&irq_signals);
	for_each_cpu(cpu)
		sigaddset(&irq_signals, cpu_signal(cpu));
	action.sa_mask = irq_signals;
	pthread_sigmask(SIG_BLOCK, &irq_signals, NULL);
	current->irqs_disabled = true;
	for_each_cpu(cpu) {
		event.sigev_signo = cpu_signal(cpu);
		if (sigaction(cpu_signal(cpu), &action, NULL) ||
		    timer_create(CLOCK_MONOTONIC, &event, &chip[cpu].clock))
			return -errno;
		chip[cpu].has_clock = true;
	}
	return 0;
}

void irq_done(void)
{
	int cpu;

	for_each_cpu(cpu)
		if (chip[cpu].has_clock)
			timer_delete(chip[cpu].clock);
}
