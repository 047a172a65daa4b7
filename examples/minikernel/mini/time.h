/* SPDX-License-Identifier: MIT */
/* Time: high resolution timers; the tick, for which each CPU has such a timer; and the
 * wheel of coarse timers that the tick drives. */
#ifndef MINI_TIME_H
#define MINI_TIME_H

#include <time.h>

#include <mini/list.h>

#define HZ			100
#define TICK_NSEC		(NSEC_PER_SEC / HZ)
#define msecs_to_jiffies(ms)	(((unsigned long)(ms) * HZ + 999) / 1000)

extern atomic_ulong mini_jiffies;
#define jiffies			atomic_load_explicit(&mini_jiffies, memory_order_relaxed)

ktime_t ktime_get(void);

/* hrtimer.c */
/* Modes of a timer.  These are macros, not enumerators, because print formats contain them,
 * and a reader of a format does not know the value of an enumerator.  1: relative, 2:
 * pinned, 4: soft, 8: hard. */
#define HRTIMER_MODE_ABS		0
#define HRTIMER_MODE_REL		1
#define HRTIMER_MODE_ABS_PINNED		2
#define HRTIMER_MODE_REL_PINNED		3
#define HRTIMER_MODE_ABS_SOFT		4
#define HRTIMER_MODE_REL_SOFT		5
#define HRTIMER_MODE_ABS_PINNED_SOFT		6
#define HRTIMER_MODE_REL_PINNED_SOFT		7
#define HRTIMER_MODE_ABS_HARD		8
#define HRTIMER_MODE_REL_HARD		9
#define HRTIMER_MODE_ABS_PINNED_HARD		10
#define HRTIMER_MODE_REL_PINNED_HARD		11

enum hrtimer_mode { HRTIMER_MODE_MIN = 0, HRTIMER_MODE_MAX = 15 };

enum hrtimer_restart { HRTIMER_NORESTART, HRTIMER_RESTART };

struct hrtimer {
	struct list_head node;		/* entry of the CPU's list of timers, which is
					 * ordered by expiry */
	ktime_t expires;		/* absolute */
	ktime_t softexpires;		/* earliest expiry: expires - slack */
	enum hrtimer_restart (*function)(struct hrtimer *timer);	/* called in an interrupt */
	int cpu;
};

int hrtimers_init(void);
void hrtimer_init(struct hrtimer *timer, clockid_t clock, enum hrtimer_mode mode);
void hrtimer_start(struct hrtimer *timer, ktime_t time, enum hrtimer_mode mode);
int hrtimer_cancel(struct hrtimer *timer);	/* waits for a running callback */
void hrtimer_forward(struct hrtimer *timer, ktime_t now, ktime_t interval);
int hrtimer_nanosleep(ktime_t ns);		/* 0, or -EINTR */

/* timer.c */
#define TIMER_CPUMASK		0x0003FFFF
#define TIMER_MIGRATING		0x00040000
#define TIMER_DEFERRABLE	0x00080000
#define TIMER_PINNED		0x00100000
#define TIMER_IRQSAFE		0x00200000
#define TIMER_TRACE_FLAGMASK \
	(TIMER_MIGRATING | TIMER_DEFERRABLE | TIMER_PINNED | TIMER_IRQSAFE)
#define TIMER_ARRAYSHIFT	22

struct timer_list {
	struct list_head entry;
	unsigned long expires;		/* in jiffies */
	void (*function)(struct timer_list *timer);	/* called in a softirq */
	u32 flags;			/* CPU, bits TIMER_*, and slot of the wheel */
};

void timers_init(void);
void timer_setup(struct timer_list *timer, void (*fn)(struct timer_list *), u32 flags);
int mod_timer(struct timer_list *timer, unsigned long expires);
int del_timer_sync(struct timer_list *timer);	/* waits for a running callback */
long schedule_timeout(long timeout);		/* returns the jiffies that are left */
void run_local_timers(void);			/* called by the tick */

/* tick.c */
void tick_start(void);	/* must be called on the CPU itself */
void tick_stop(int cpu);

#endif
