/* SPDX-License-Identifier: MIT */
/* An event with pointers in its records, for event probes. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM pointers

#if !defined(POINTERS_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define POINTERS_TRACE_H

#include <linux/tracepoint.h>

#ifndef POINTERS_THING
#define POINTERS_THING
struct thing {
	unsigned int id;
	char tag[12];
	unsigned long value;
	unsigned char bits;
	const char *names[2];
	const struct thing *next;
};
#endif

TRACE_EVENT(pointers_hit,
	TP_PROTO(const struct thing *thing, const char *name, const void *bad, short number),
	TP_ARGS(thing, name, bad, number),
	TP_STRUCT__entry(
		__field(const struct thing *, thing)
		__field(const char *, name)
		__field(const void *, bad)
		__field(unsigned long, address)
		__field(short, number)
		__array(char, text, 8)
		__string(dynamic, name)
	),
	TP_fast_assign(
		__entry->thing = thing;
		__entry->name = name;
		__entry->bad = bad;
		__entry->address = (unsigned long)thing;
		__entry->number = number;
		memcpy(__entry->text, "abcdefg", 8);
		__assign_str(dynamic);
	),
	TP_printk("number=%d", __entry->number)
);

#endif

#undef TRACE_INCLUDE_PATH
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_PATH .
#define TRACE_INCLUDE_FILE pointers_trace
#include <trace/define_trace.h>
