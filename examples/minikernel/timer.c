/* SPDX-License-Identifier: MIT */
/* The timer wheel: timers with a resolution of one jiffy.  A timer hangs in the slot of
 * the jiffy at which it expires (modulo the size of the wheel).  Callbacks run in the
 * TIMER softirq. */
#include <errno.h>
#include <sched.h>

#include <mini/irq.h>
#include <mini/sched.h>
#include <mini/time.h>

#include "trace/events/timer.h"

#define WHEEL_SIZE	64

struct timer_base {
	struct list_head slot[WHEEL_SIZE];
	unsigned long clk;		/* next jiffy to process */
	unsigned long next_expiry;
	struct timer_list *running;	/* the timer whose callback runs now, or NULL */
};

static spinlock_t timer_lock = SPIN_LOCK_INIT;
static struct timer_base bases[NR_CPUS];	/* the wheel of each CPU, protected by
						 * timer_lock */

void timer_setup(struct timer_list *timer, void (*fn)(struct timer_list *), u32 flags)
{
	INIT_LIST_HEAD(&timer->entry);
	timer->function = fn;
	timer->flags = flags;
	trace_timer_init(timer);
}

static bool detach_timer(struct timer_list *timer)
{
	if (list_empty(&timer->entry))
		return false;
	list_del_init(&timer->entry);
	trace_timer_cancel(timer);
	return true;
}

/* Change the expiry of a timer.  Returns 1 if the timer was pending before. */
int mod_timer(struct timer_list *timer, unsigned long expires)
{
	struct timer_base *base;
	unsigned long at;
	bool flags;
	int was_pending;

	spin_lock_irqsave(&timer_lock, flags);
	was_pending = detach_timer(timer);
	base = &bases[current->cpu];
	at = expires > base->clk ? expires : base->clk;
	timer->expires = expires;
	timer->flags = (timer->flags & TIMER_TRACE_FLAGMASK) | (u32)current->cpu |
		       (u32)(at % WHEEL_SIZE) << TIMER_ARRAYSHIFT;
	trace_timer_start(timer, expires, timer->flags);
	list_add_tail(&timer->entry, &base->slot[at % WHEEL_SIZE]);
	if (at < base->next_expiry)
		base->next_expiry = at;
	spin_unlock_irqrestore(&timer_lock, flags);
	return was_pending;
}

int del_timer_sync(struct timer_list *timer)
{
	bool flags, is_running;
	int removed = 0;

	do {
		spin_lock_irqsave(&timer_lock, flags);
		is_running = bases[timer->flags & TIMER_CPUMASK].running == timer;
		if (!is_running)
			removed = detach_timer(timer);
		spin_unlock_irqrestore(&timer_lock, flags);
		if (is_running)
			sched_yield();
	} while (is_running);
	return removed;
}

static void call_timer_fn(struct timer_list *timer, unsigned long baseclk)
{
	trace_timer_expire_entry(timer, baseclk);
	timer->function(timer);
	trace_timer_expire_exit(timer);
}

static struct timer_list *first_expired(struct timer_base *base)
{
	struct timer_list *timer;

	list_for_each_entry(timer, &base->slot[base->clk % WHEEL_SIZE], entry)
		if (timer->expires <= base->clk)
			return timer;
	return NULL;
}

static unsigned long next_timer_expiry(struct timer_base *base)
{
	unsigned long next = ~0ul;
	struct timer_list *timer;
	int i;

	for (i = 0; i < WHEEL_SIZE; i++)
		list_for_each_entry(timer, &base->slot[i], entry)
			if (timer->expires < next)
				next = timer->expires;
	return next;
}

static void run_timer_softirq(void)
{
	struct timer_base *base = &bases[current->cpu];
	struct timer_list *timer;
	bool flags;

	spin_lock_irqsave(&timer_lock, flags);
	while (base->clk <= jiffies) {
		while ((timer = first_expired(base))) {
			detach_timer(timer);
			base->running = timer;
			spin_unlock_irqrestore(&timer_lock, flags);
			call_timer_fn(timer, base->clk);
			spin_lock_irqsave(&timer_lock, flags);
			base->running = NULL;
		}
		base->clk++;
	}
	base->next_expiry = next_timer_expiry(base);
	spin_unlock_irqrestore(&timer_lock, flags);
}

void run_local_timers(void)
{
	bool is_due;

	spin_lock(&timer_lock);
	is_due = bases[current->cpu].next_expiry <= jiffies;
	spin_unlock(&timer_lock);
	if (is_due)
		raise_softirq(TIMER_SOFTIRQ);
}

struct process_timer {
	struct timer_list timer;
	struct task_struct *task;
};

static void process_timeout(struct timer_list *timer)
{
	wake_up_process(container_of(timer, struct process_timer, timer)->task);
}

/* Sleep for @timeout jiffies.  The caller must have set the state in which it sleeps. */
long schedule_timeout(long timeout)
{
	struct process_timer timer = { .task = current };
	unsigned long expire = jiffies + (unsigned long)timeout;
	long left;

	timer_setup(&timer.timer, process_timeout, 0);
	mod_timer(&timer.timer, expire);
	schedule();
	del_timer_sync(&timer.timer);
	left = (long)(expire - jiffies);
	return left < 0 ? 0 : left;
}

void timers_init(void)
{
	int cpu, i;

	open_softirq(TIMER_SOFTIRQ, run_timer_softirq);
	for_each_cpu(cpu) {
		bases[cpu].next_expiry = ~0ul;
		for (i = 0; i < WHEEL_SIZE; i++)
			INIT_LIST_HEAD(&bases[cpu].slot[i]);
	}
}
