/* SPDX-License-Identifier: MIT */
/* Events that a C++ file defines, with CREATE_TRACE_POINTS. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM cpp

#if !defined(CPP_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CPP_TRACE_H

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(cpp_class,
	TP_PROTO(const char *name, int value, const void *object),
	TP_ARGS(name, value, object),
	TP_STRUCT__entry(
		__string(name, name)
		__field(int, value)
		__field(bool, positive)
		__field(const void *, object)
		__array(char, text, 8)
		__dynamic_array(int, list, value > 0 ? 2 : 0)
	),
	TP_fast_assign(
		__assign_str(name, name);
		__entry->value = value;
		__entry->positive = value > 0;
		__entry->object = object;
		memcpy(__entry->text, "c++text", 8);
		if (value > 0) {
			((int *)__get_dynamic_array(list))[0] = value;
			((int *)__get_dynamic_array(list))[1] = -value;
		}
	),
	TP_printk("name=%s value=%d %s", __get_str(name), __entry->value,
		  __print_symbolic(__entry->positive, { 0, "no" }, { 1, "yes" }))
);
DEFINE_EVENT(cpp_class, cpp_first,
	TP_PROTO(const char *name, int value, const void *object),
	TP_ARGS(name, value, object));
DEFINE_EVENT(cpp_class, cpp_second,
	TP_PROTO(const char *name, int value, const void *object),
	TP_ARGS(name, value, object));

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE cpp_trace
#include <trace/define_trace.h>
