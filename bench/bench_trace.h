/* SPDX-License-Identifier: MIT */
/* The events of the benchmark.  They have the same fields, except that one has a string and
 * the others an array.  With a text of 15 characters the record with the string has 48
 * bytes. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM bench

#if !defined(ULF_BENCH_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define ULF_BENCH_TRACE_H

#include <linux/tracepoint.h>

TRACE_EVENT(bench_event,

	TP_PROTO(int i, unsigned long long u, const char *s),

	TP_ARGS(i, u, s),

	TP_STRUCT__entry(
		__field(	int,			i	)
		__field(	unsigned long long,	u	)
		__array(	char,			s,	16	)
	),

	TP_fast_assign(
		__entry->i = i;
		__entry->u = u;
		memcpy(__entry->s, s, 16);
	),

	TP_printk("i=%d u=%llu s=%s", __entry->i, __entry->u, __entry->s)
);

/* The end of a pair, for latencies. */
DEFINE_EVENT(bench_event, bench_end,

	TP_PROTO(int i, unsigned long long u, const char *s),

	TP_ARGS(i, u, s)
);

TRACE_EVENT(bench_string,

	TP_PROTO(int i, unsigned long long u, const char *s),

	TP_ARGS(i, u, s),

	TP_STRUCT__entry(
		__field(	int,			i	)
		__field(	unsigned long long,	u	)
		__string(	s,			s	)
	),

	TP_fast_assign(
		__entry->i = i;
		__entry->u = u;
		__assign_str(s, s);
	),

	TP_printk("i=%d u=%llu s=%s", __entry->i, __entry->u, __get_str(s))
);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE bench_trace
#include <trace/define_trace.h>
