/* SPDX-License-Identifier: MIT */
/* The events of the test programs in this directory. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM rt

#if !defined(RT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define RT_TRACE_H

#include <linux/tracepoint.h>

DECLARE_EVENT_CLASS(rt_class,
	TP_PROTO(int who, long value),
	TP_ARGS(who, value),
	TP_STRUCT__entry(
		__field(int, who)
		__field(long, value)
	),
	TP_fast_assign(
		__entry->who = who;
		__entry->value = value;
	),
	TP_printk("who=%d value=%ld", __entry->who, __entry->value)
);
DEFINE_EVENT(rt_class, rt_hit,
	TP_PROTO(int who, long value), TP_ARGS(who, value));
DEFINE_EVENT(rt_class, rt_other,
	TP_PROTO(int who, long value), TP_ARGS(who, value));

/* The record is too long for the fast path, so its length is in a word of its own. */
TRACE_EVENT(rt_long,
	TP_PROTO(const char *text),
	TP_ARGS(text),
	TP_STRUCT__entry(
		__array(char, filler, 200)
		__string(text, text)
	),
	TP_fast_assign(
		memset(__entry->filler, 'f', sizeof(__entry->filler));
		__assign_str(text);
	),
	TP_printk("text=%s", __get_str(text))
);

/* Any number of bytes, also more than a record can have. */
TRACE_EVENT(rt_bytes,
	TP_PROTO(long nr),
	TP_ARGS(nr),
	TP_STRUCT__entry(
		__dynamic_array(char, bytes, nr)
	),
	TP_fast_assign(
		memset(__get_dynamic_array(bytes), 'b',
		       __get_dynamic_array_len(bytes));
	),
	TP_printk("%d bytes", __get_dynamic_array_len(bytes))
);

/* Numbers of all sizes, and a name. */
TRACE_EVENT(rt_types,
	TP_PROTO(unsigned long value, const char *name),
	TP_ARGS(value, name),
	TP_STRUCT__entry(
		__field(unsigned long, u64)
		__field(long, s64)
		__field(unsigned int, u32)
		__field(int, s32)
		__field(unsigned short, u16)
		__field(short, s16)
		__field(unsigned char, u8)
		__field(signed char, s8)
		__array(char, name, 16)
		__array(char, long_name, 20)
	),
	TP_fast_assign(
		__entry->u64 = value;
		__entry->s64 = (long)value;
		__entry->u32 = (unsigned int)value;
		__entry->s32 = (int)value;
		__entry->u16 = (unsigned short)value;
		__entry->s16 = (short)value;
		__entry->u8 = (unsigned char)value;
		__entry->s8 = (signed char)value;
		memcpy(__entry->name, name, 16);
		memcpy(__entry->long_name, name, 20);
	),
	TP_printk("%lx", __entry->u64)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE rt_trace
#include <trace/define_trace.h>
