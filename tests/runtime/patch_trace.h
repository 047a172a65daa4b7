/* SPDX-License-Identifier: MIT */
/* A hundred events for patch_stress.c. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM patch

#if !defined(PATCH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define PATCH_TRACE_H

#include <linux/tracepoint.h>

#ifndef PATCH_EACH
/* x(number) for each event */
#define PATCH_TEN(x, n)							\
	x(n##0) x(n##1) x(n##2) x(n##3) x(n##4)				\
	x(n##5) x(n##6) x(n##7) x(n##8) x(n##9)
#define PATCH_EACH(x)							\
	PATCH_TEN(x, 0) PATCH_TEN(x, 1) PATCH_TEN(x, 2) PATCH_TEN(x, 3)	\
	PATCH_TEN(x, 4) PATCH_TEN(x, 5) PATCH_TEN(x, 6) PATCH_TEN(x, 7)	\
	PATCH_TEN(x, 8) PATCH_TEN(x, 9)
#define PATCH_NR	100
#endif

DECLARE_EVENT_CLASS(patch_class,
	TP_PROTO(int thread, int number),
	TP_ARGS(thread, number),
	TP_STRUCT__entry(
		__field(int, thread)
		__field(int, number)
	),
	TP_fast_assign(
		__entry->thread = thread;
		__entry->number = number;
	),
	TP_printk("thread=%d number=%d", __entry->thread, __entry->number)
);

#define PATCH_EVENT(n)							\
	DEFINE_EVENT(patch_class, patch_##n,				\
		TP_PROTO(int thread, int number), TP_ARGS(thread, number));
PATCH_EACH(PATCH_EVENT)
#undef PATCH_EVENT

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE patch_trace
#include <trace/define_trace.h>
