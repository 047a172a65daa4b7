/* SPDX-License-Identifier: MIT */
/* Words that most trace headers use.  The header is at the default path, trace/events/. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM words

#if !defined(_TRACE_WORDS_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_WORDS_H

#include <linux/tracepoint.h>

#ifndef WORDS_TYPES
#define WORDS_TYPES
enum words_color { WORDS_RED, WORDS_GREEN = 7 };
struct words_numbers {
	signed char s8;
	unsigned char u8;
	short s16;
	unsigned short u16;
	int s32;
	unsigned int u32;
	long s64;
	unsigned long long u64;
	const void *pointer;
	enum words_color color;
	bool flag;
};
#define WORDS_DOUBLE(x) ((x) * 2)
#endif

TRACE_EVENT(word_fields,

	TP_PROTO(const struct words_numbers *n, char c),

	TP_ARGS(n, c),

	TP_STRUCT__entry(
		__field(	char,			c	)
		__field(	signed char,		s8	)
		__field(	unsigned char,		u8	)
		__field(	short,			s16	)
		__field(	unsigned short,		u16	)
		__field(	int,			s32	)
		__field(	unsigned int,		u32	)
		__field(	long,			s64	)
		__field(	unsigned long long,	u64	)
		__field(	const void *,		pointer	)
		__field(	enum words_color,	color	)
		__field(	bool,			flag	)
		__field(	pid_t,			pid	)
		__field(	int,			errno	)
	),

	TP_fast_assign(
		__entry->c = c;
		__entry->s8 = n->s8;
		__entry->u8 = n->u8;
		__entry->s16 = n->s16;
		__entry->u16 = n->u16;
		__entry->s32 = n->s32;
		__entry->u32 = n->u32;
		__entry->s64 = n->s64;
		__entry->u64 = n->u64;
		__entry->pointer = n->pointer;
		__entry->color = n->color;
		__entry->flag = n->flag;
		__entry->pid = 4711;
		__entry->errno = -5;
	),

	TP_printk("c=%d s64=%ld p=%p twice=%d%s", __entry->c, __entry->s64,
		  __entry->pointer, WORDS_DOUBLE(__entry->s32),
		  __entry->flag ? " flag" : "")
);

TRACE_EVENT(word_arrays,
	TP_PROTO(const int *three, const char *name),
	TP_ARGS(three, name),
	TP_STRUCT__entry(
		__array(int, three, 3)
		__array(char, name, 16)
		__array(unsigned char, odd, 3)
	),
	TP_fast_assign(
		int i;

		memcpy(__entry->three, three, sizeof(__entry->three));
		strncpy(__entry->name, name, 15);
		__entry->name[15] = '\0';
		for (i = 0; i < 3; i++)
			__entry->odd[i] = i + 1;
	),
	TP_printk("%d %d %d name=%s", __entry->three[0], __entry->three[1],
		  __entry->three[2], __entry->name)
);

/* __assign_str() as it was up to Linux 6.9.  The source of b may differ from the one whose
 * length was measured. */
TRACE_EVENT(word_strings,
	TP_PROTO(const char *a, const char *b, const char *other),
	TP_ARGS(a, b, other),
	TP_STRUCT__entry(
		__string(a, a)
		__field(int, between)
		__string(b, b)
	),
	TP_fast_assign(
		__assign_str(a, a);
		__entry->between = 42;
		__assign_str(b, other ? other : b);
	),
	TP_printk("a=%s b=%s", __get_str(a), __get_str(b))
);

/* __assign_str() as it is since Linux 6.10. */
TRACE_EVENT(word_strings_new,
	TP_PROTO(const char *a, const char *b),
	TP_ARGS(a, b),
	TP_STRUCT__entry(
		__string(a, a)
		__string(b, b)
	),
	TP_fast_assign(
		__assign_str(a);
		__assign_str(b);
		if (__get_str(a)[0] == 'x')
			__get_str(a)[0] = 'X';
	),
	TP_printk("a=%s b=%s", __get_str(a), __get_str(b))
);

TRACE_EVENT(word_dynamic,
	TP_PROTO(const unsigned short *list, long nr, const char *tail),
	TP_ARGS(list, nr, tail),
	TP_STRUCT__entry(
		__field(unsigned int, bytes)
		__dynamic_array(unsigned short, list, nr)
		__dynamic_array(char, tail, strlen(tail))
	),
	TP_fast_assign(
		__entry->bytes = __get_dynamic_array_len(list);
		memcpy(__get_dynamic_array(list), list, nr * sizeof(*list));
		memcpy(__get_dynamic_array(tail), tail,
		       __get_dynamic_array_len(tail));
	),
	TP_printk("%s", __print_array(__get_dynamic_array(list),
				      __get_dynamic_array_len(list) / 2, 2))
);

DECLARE_EVENT_CLASS(word_class,
	TP_PROTO(int value, unsigned int flags),
	TP_ARGS(value, flags),
	TP_STRUCT__entry(
		__field(int, value)
		__field(unsigned int, flags)
	),
	TP_fast_assign(
		__entry->value = value;
		__entry->flags = flags;
	),
	TP_printk("value=%s flags=%s",
		  __print_symbolic(__entry->value, { 0, "none" },
				   { WORDS_DOUBLE(3), "six" }),
		  __print_flags(__entry->flags, "|", { 1, "ONE" },
				{ 2, "TWO" }))
);
DEFINE_EVENT(word_class, word_first,
	TP_PROTO(int value, unsigned int flags), TP_ARGS(value, flags));
DEFINE_EVENT(word_class, word_second,
	TP_PROTO(int value, unsigned int flags), TP_ARGS(value, flags));
DEFINE_EVENT_PRINT(word_class, word_third,
	TP_PROTO(int value, unsigned int flags), TP_ARGS(value, flags),
	TP_printk("just %d", __entry->value));

TRACE_EVENT_CONDITION(word_condition,
	TP_PROTO(int value),
	TP_ARGS(value),
	TP_CONDITION(value > 10),
	TP_STRUCT__entry(
		__field(int, value)
	),
	TP_fast_assign(
		__entry->value = value;
	),
	TP_printk("value=%d", __entry->value)
);

/* An event without fields, whose text has no arguments. */
TRACE_EVENT(word_empty,
	TP_PROTO(int unused),
	TP_ARGS(unused),
	TP_STRUCT__entry(
	),
	TP_fast_assign(
	),
	TP_printk("nothing to say")
);

/* A tracepoint without an event. */
DECLARE_TRACE(word_bare,
	TP_PROTO(int *value),
	TP_ARGS(value));

#endif

#include <trace/define_trace.h>
