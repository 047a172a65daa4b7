/* SPDX-License-Identifier: MIT */
/* A thousand events, load_000 to load_999. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM load

#ifndef LOAD_MANY
#define LOAD_TEN(X, n)		X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) \
				X(n##5) X(n##6) X(n##7) X(n##8) X(n##9)
#define LOAD_HUNDRED(X, n)	LOAD_TEN(X, n##0) LOAD_TEN(X, n##1) LOAD_TEN(X, n##2) \
				LOAD_TEN(X, n##3) LOAD_TEN(X, n##4) LOAD_TEN(X, n##5) \
				LOAD_TEN(X, n##6) LOAD_TEN(X, n##7) LOAD_TEN(X, n##8) \
				LOAD_TEN(X, n##9)
#define LOAD_MANY(X)		LOAD_HUNDRED(X, 0) LOAD_HUNDRED(X, 1) LOAD_HUNDRED(X, 2) \
				LOAD_HUNDRED(X, 3) LOAD_HUNDRED(X, 4) LOAD_HUNDRED(X, 5) \
				LOAD_HUNDRED(X, 6) LOAD_HUNDRED(X, 7) LOAD_HUNDRED(X, 8) \
				LOAD_HUNDRED(X, 9)
#endif

#if !defined(MANY_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define MANY_TRACE_H

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(load_class,
	TP_PROTO(unsigned int count, const char *word),
	TP_ARGS(count, word),
	TP_STRUCT__entry(
		__field(unsigned int, count)
		__string(word, word)
	),
	TP_fast_assign(
		__entry->count = count;
		__assign_str(word);
	),
	TP_printk("count=%u word=%s", __entry->count, __get_str(word))
);

#define LOAD_EVENT(n)							\
	DEFINE_EVENT(load_class, load_##n,				\
		TP_PROTO(unsigned int count, const char *word),		\
		TP_ARGS(count, word));
LOAD_MANY(LOAD_EVENT)

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE many_trace
#include <trace/define_trace.h>
