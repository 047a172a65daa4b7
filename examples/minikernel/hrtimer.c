/* SPDX-License-Identifier: MIT */
/* High resolution timers: each CPU has a list ordered by expiry, and its clock is set to
 * the first timer.  Callbacks run in the clock's interrupt. */
#include <errno.h>
#include <sched.h>

#include <mini/irq.h>
#include <mini/sched.h>
#include <mini/time.h>

#include "trace/events/timer.h"

struct hrtimer_cpu_base {
	struct list_head active;
	struct hrtimer *running;	/* the timer whose callback runs now, or NULL */
};

static spinlock_t hrtimer_lock = SPIN_LOCK_INIT;
static struct hrtimer_cpu_base bases[NR_CPUS];	/* the timers of each CPU, protected by
						 * hrtimer_lock */

ktime_t ktime_get(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * NSEC_PER_SEC + now.tv_nsec;
}

void hrtimer_init(struct hrtimer *timer, clockid_t clock, enum hrtimer_mode mode)
{
	INIT_LIST_HEAD(&timer->node);
	timer->function = NULL;
	timer->cpu = 0;
	trace_hrtimer_init(timer, clock, mode);
}

/* Add a timer to the list of its CPU.  Returns true if the clock must be set again. */
static bool enqueue_hrtimer(struct hrtimer *timer, enum hrtimer_mode mode, bool was_armed)
{
	struct hrtimer_cpu_base *base = &bases[current->cpu];
	struct hrtimer *pos;

	timer->cpu = current->cpu;
	trace_hrtimer_start(timer, mode, was_armed);
	list_for_each_entry(pos, &base->active, node)
		if (timer->expires < pos->expires)
			break;
	list_add_tail(&timer->node, &pos->node);
	return base->active.next == &timer->node;
}

static bool remove_hrtimer(struct hrtimer *timer)
{
	if (list_empty(&timer->node))
		return false;
	list_del_init(&timer->node);
	trace_hrtimer_cancel(timer);
	return true;
}

void hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode)
{
	bool flags, was_armed;

	if (mode & HRTIMER_MODE_REL)
		time += ktime_get();
	spin_lock_irqsave(&hrtimer_lock, flags);
	was_armed = remove_hrtimer(timer);
	timer->expires = time;
	timer->softexpires = time;
	if (enqueue_hrtimer(timer, mode, was_armed))
		clockevents_program(timer->cpu, timer->expires);
	spin_unlock_irqrestore(&hrtimer_lock, flags);
}

/* Stop a timer.  Returns 1 if the timer was waiting to expire. */
int hrtimer_cancel(struct hrtimer *timer)
{
	bool flags, is_running;
	int removed = 0;

	do {
		spin_lock_irqsave(&hrtimer_lock, flags);
		is_running = bases[timer->cpu].running == timer;
		if (!is_running)
			removed = remove_hrtimer(timer);
		spin_unlock_irqrestore(&hrtimer_lock, flags);
		if (is_running)
			sched_yield();
	} while (is_running);
	return removed;
}

void hrtimer_forward(struct hrtimer *timer, ktime_t now, ktime_t interval)
{
	ktime_t late = now - timer->expires;

	if (late < 0)
		return;
	timer->expires += interval * (late / interval + 1);
	timer->softexpires = timer->expires;
}

static void __run_hrtimer(struct hrtimer_cpu_base *base, struct hrtimer *timer, ktime_t now)
{
	enum hrtimer_restart restart;

	remove_hrtimer(timer);
	base->running = timer;
	spin_unlock(&hrtimer_lock);
	trace_hrtimer_expire_entry(timer, &now);
	restart = timer->function(timer);
	trace_hrtimer_expire_exit(timer);
	spin_lock(&hrtimer_lock);
	/* Another task may have started the timer again while its callback ran. */
	if (restart == HRTIMER_RESTART && list_empty(&timer->node))
		enqueue_hrtimer(timer, HRTIMER_MODE_ABS, false);
	base->running = NULL;
}

static irqreturn_t hrtimer_interrupt(int irq, void *dev)
{
	struct hrtimer_cpu_base *base = &bases[current->cpu];
	struct hrtimer *timer;
	ktime_t now;

	(void)irq;
	(void)dev;
	spin_lock(&hrtimer_lock);
	while (!list_empty(&base->active)) {
		now = ktime_get();
		timer = list_first_entry(&base->active, struct hrtimer, node);
		if (timer->expires > now) {
			clockevents_program(current->cpu, timer->expires);
			break;
		}
		__run_hrtimer(base, timer, now);
	}
	spin_unlock(&hrtimer_lock);
	return IRQ_HANDLED;
}

struct hrtimer_sleeper {
	struct hrtimer timer;
	struct task_struct *task;
	atomic_bool expired;
};

static enum hrtimer_restart hrtimer_wakeup(struct hrtimer *timer)
{
	struct hrtimer_sleeper *sleeper = container_of(timer, struct hrtimer_sleeper, timer);

	atomic_store(&sleeper->expired, true);
	wake_up_process(sleeper->task);
	return HRTIMER_NORESTART;
}

int hrtimer_nanosleep(ktime_t ns)
{
	struct hrtimer_sleeper sleeper = { .task = current };
	bool interrupted = false;

	hrtimer_init(&sleeper.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	sleeper.timer.function = hrtimer_wakeup;
	set_current_state(TASK_INTERRUPTIBLE);
	hrtimer_start(&sleeper.timer, ns, HRTIMER_MODE_REL);
	while (!atomic_load(&sleeper.expired) && !interrupted) {
		schedule();
		set_current_state(TASK_INTERRUPTIBLE);
		interrupted = signal_pending(current);
	}
	set_current_state(TASK_RUNNING);
	hrtimer_cancel(&sleeper.timer);
	return interrupted && !atomic_load(&sleeper.expired) ? -EINTR : 0;
}

int hrtimers_init(void)
{
	int cpu;

	for_each_cpu(cpu)
		INIT_LIST_HEAD(&bases[cpu].active);
	return request_irq(IRQ_TIMER, hrtimer_interrupt, "timer", NULL);
}
