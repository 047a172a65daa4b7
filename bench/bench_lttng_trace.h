/* SPDX-License-Identifier: MIT */
/* The event of bench_trace.h for LTTng-UST, another that a filter rejects, and a third that
 * stays disabled. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER ulf_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./bench_lttng_trace.h"

#if !defined(ULF_BENCH_LTTNG_TRACE_H) || \
	defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define ULF_BENCH_LTTNG_TRACE_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT_CLASS(ulf_bench, event_class,
	LTTNG_UST_TP_ARGS(int, i, uint64_t, u, const char *, s),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_integer(int, i, i)
		lttng_ust_field_integer(uint64_t, u, u)
		lttng_ust_field_array_text(char, s, s, 16)
	)
)

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(ulf_bench, event_class, ulf_bench, event,
	LTTNG_UST_TP_ARGS(int, i, uint64_t, u, const char *, s))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(ulf_bench, event_class, ulf_bench, rejected,
	LTTNG_UST_TP_ARGS(int, i, uint64_t, u, const char *, s))

LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(ulf_bench, event_class, ulf_bench, unused,
	LTTNG_UST_TP_ARGS(int, i, uint64_t, u, const char *, s))

#endif

#include <lttng/tracepoint-event.h>
