/* SPDX-License-Identifier: MIT */
/* The tick: one timer per CPU that counts jiffies and starts periodic work. */
#include <mini/sched.h>
#include <mini/time.h>

#define TICK_TIMEKEEPER	0	/* the CPU that counts jiffies */

atomic_ulong mini_jiffies;

static struct hrtimer tick[NR_CPUS];

static enum hrtimer_restart tick_sched_timer(struct hrtimer *timer)
{
	ktime_t due = timer->expires;

	hrtimer_forward(timer, ktime_get(), TICK_NSEC);
	if (timer->cpu == TICK_TIMEKEEPER)
		atomic_fetch_add(&mini_jiffies,
				 (unsigned long)((timer->expires - due) / TICK_NSEC));
	run_local_timers();
	scheduler_tick();
	return HRTIMER_RESTART;
}

/* Start the tick of this CPU.  The ticks of the CPUs are spread over the period, so that
 * they do not compete for a lock. */
void tick_start(void)
{
	int cpu = current->cpu;

	hrtimer_init(&tick[cpu], CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED);
	tick[cpu].function = tick_sched_timer;
	hrtimer_start(&tick[cpu], ktime_get() + TICK_NSEC + cpu * TICK_NSEC / nr_cpus,
		      HRTIMER_MODE_ABS_PINNED);
}

void tick_stop(int cpu)
{
	hrtimer_cancel(&tick[cpu]);
}
