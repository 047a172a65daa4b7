/* SPDX-License-Identifier: MIT */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM timer

#if !defined(_TRACE_TIMER_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_TIMER_H

#include <linux/tracepoint.h>

#include <mini/time.h>

DECLARE_EVENT_CLASS(timer_class,

	TP_PROTO(struct timer_list *timer),

	TP_ARGS(timer),

	TP_STRUCT__entry(
		__field(	void *,	timer	)
	),

	TP_fast_assign(
		__entry->timer = timer;
	),

	TP_printk("timer=%p", __entry->timer)
);

DEFINE_EVENT(timer_class, timer_init,
	     TP_PROTO(struct timer_list *timer),
	     TP_ARGS(timer));

#define decode_timer_flags(flags)			\
	__print_flags(flags, "|",			\
		{ TIMER_MIGRATING, "M" },		\
		{ TIMER_DEFERRABLE, "D" },		\
		{ TIMER_PINNED, "P" },			\
		{ TIMER_IRQSAFE, "I" })

TRACE_EVENT(timer_start,

	TP_PROTO(struct timer_list *timer, unsigned long expires,
		 unsigned int flags),

	TP_ARGS(timer, expires, flags),

	TP_STRUCT__entry(
		__field(	void *,		timer		)
		__field(	void *,		function	)
		__field(	unsigned long,	expires		)
		__field(	unsigned long,	now		)
		__field(	unsigned int,	flags		)
	),

	TP_fast_assign(
		__entry->timer = timer;
		__entry->function = timer->function;
		__entry->expires = expires;
		__entry->now = jiffies;
		__entry->flags = flags;
	),

	TP_printk("timer=%p function=%ps expires=%lu [timeout=%ld] cpu=%u idx=%u flags=%s",
		  __entry->timer, __entry->function, __entry->expires,
		  (long)__entry->expires - __entry->now,
		  __entry->flags & TIMER_CPUMASK,
		  __entry->flags >> TIMER_ARRAYSHIFT,
		  decode_timer_flags(__entry->flags & TIMER_TRACE_FLAGMASK))
);

TRACE_EVENT(timer_expire_entry,

	TP_PROTO(struct timer_list *timer, unsigned long baseclk),

	TP_ARGS(timer, baseclk),

	TP_STRUCT__entry(
		__field(	void *,		timer		)
		__field(	unsigned long,	now		)
		__field(	void *,		function	)
		__field(	unsigned long,	baseclk		)
	),

	TP_fast_assign(
		__entry->timer = timer;
		__entry->now = jiffies;
		__entry->function = timer->function;
		__entry->baseclk = baseclk;
	),

	TP_printk("timer=%p function=%ps now=%lu baseclk=%lu",
		  __entry->timer, __entry->function, __entry->now,
		  __entry->baseclk)
);

/* The timer may be freed by now, so only its address is recorded. */
DEFINE_EVENT(timer_class, timer_expire_exit,
	     TP_PROTO(struct timer_list *timer),
	     TP_ARGS(timer));

DEFINE_EVENT(timer_class, timer_cancel,
	     TP_PROTO(struct timer_list *timer),
	     TP_ARGS(timer));

#define decode_clockid(clock)				\
	__print_symbolic(clock,				\
		{ CLOCK_REALTIME, "CLOCK_REALTIME" },	\
		{ CLOCK_MONOTONIC, "CLOCK_MONOTONIC" },	\
		{ CLOCK_BOOTTIME, "CLOCK_BOOTTIME" },	\
		{ CLOCK_TAI, "CLOCK_TAI" })

#define decode_hrtimer_mode(mode)					\
	__print_symbolic(mode,						\
		{ HRTIMER_MODE_ABS, "ABS" },				\
		{ HRTIMER_MODE_REL, "REL" },				\
		{ HRTIMER_MODE_ABS_PINNED, "ABS|PINNED" },		\
		{ HRTIMER_MODE_REL_PINNED, "REL|PINNED" },		\
		{ HRTIMER_MODE_ABS_SOFT, "ABS|SOFT" },			\
		{ HRTIMER_MODE_REL_SOFT, "REL|SOFT" },			\
		{ HRTIMER_MODE_ABS_PINNED_SOFT, "ABS|PINNED|SOFT" },	\
		{ HRTIMER_MODE_REL_PINNED_SOFT, "REL|PINNED|SOFT" },	\
		{ HRTIMER_MODE_ABS_HARD, "ABS|HARD" },			\
		{ HRTIMER_MODE_REL_HARD, "REL|HARD" },			\
		{ HRTIMER_MODE_ABS_PINNED_HARD, "ABS|PINNED|HARD" },	\
		{ HRTIMER_MODE_REL_PINNED_HARD, "REL|PINNED|HARD" })

TRACE_EVENT(hrtimer_init,

	TP_PROTO(struct hrtimer *hrtimer, clockid_t clockid,
		 enum hrtimer_mode mode),

	TP_ARGS(hrtimer, clockid, mode),

	TP_STRUCT__entry(
		__field(	void *,			hrtimer	)
		__field(	clockid_t,		clockid	)
		__field(	enum hrtimer_mode,	mode	)
	),

	TP_fast_assign(
		__entry->hrtimer = hrtimer;
		__entry->clockid = clockid;
		__entry->mode = mode;
	),

	TP_printk("hrtimer=%p clockid=%s mode=%s", __entry->hrtimer,
		  decode_clockid(__entry->clockid),
		  decode_hrtimer_mode(__entry->mode))
);

TRACE_EVENT(hrtimer_start,

	TP_PROTO(struct hrtimer *hrtimer, enum hrtimer_mode mode, bool was_armed),

	TP_ARGS(hrtimer, mode, was_armed),

	TP_STRUCT__entry(
		__field(	void *,			hrtimer		)
		__field(	void *,			function	)
		__field(	s64,			expires		)
		__field(	s64,			softexpires	)
		__field(	enum hrtimer_mode,	mode		)
		__field(	bool,			was_armed	)
	),

	TP_fast_assign(
		__entry->hrtimer = hrtimer;
		__entry->function = hrtimer->function;
		__entry->expires = hrtimer->expires;
		__entry->softexpires = hrtimer->softexpires;
		__entry->mode = mode;
		__entry->was_armed = was_armed;
	),

	TP_printk("hrtimer=%p function=%ps expires=%llu softexpires=%llu mode=%s was_armed=%d",
		  __entry->hrtimer, __entry->function,
		  (unsigned long long) __entry->expires,
		  (unsigned long long) __entry->softexpires,
		  decode_hrtimer_mode(__entry->mode), __entry->was_armed)
);

TRACE_EVENT(hrtimer_expire_entry,

	TP_PROTO(struct hrtimer *hrtimer, ktime_t *now),

	TP_ARGS(hrtimer, now),

	TP_STRUCT__entry(
		__field(	void *,	hrtimer		)
		__field(	s64,	now		)
		__field(	void *,	function	)
	),

	TP_fast_assign(
		__entry->hrtimer = hrtimer;
		__entry->now = *now;
		__entry->function = hrtimer->function;
	),

	TP_printk("hrtimer=%p function=%ps now=%llu",
		  __entry->hrtimer, __entry->function,
		  (unsigned long long) __entry->now)
);

DECLARE_EVENT_CLASS(hrtimer_class,

	TP_PROTO(struct hrtimer *hrtimer),

	TP_ARGS(hrtimer),

	TP_STRUCT__entry(
		__field(	void *,	hrtimer	)
	),

	TP_fast_assign(
		__entry->hrtimer = hrtimer;
	),

	TP_printk("hrtimer=%p", __entry->hrtimer)
);

/* The timer may be freed by now, so only its address is recorded. */
DEFINE_EVENT(hrtimer_class, hrtimer_expire_exit,
	     TP_PROTO(struct hrtimer *hrtimer),
	     TP_ARGS(hrtimer));

DEFINE_EVENT(hrtimer_class, hrtimer_cancel,
	     TP_PROTO(struct hrtimer *hrtimer),
	     TP_ARGS(hrtimer));

#endif /* _TRACE_TIMER_H */

/* This line is outside of the guard, because the header is read again for every stage. */
#include <trace/define_trace.h>
