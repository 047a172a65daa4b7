/* SPDX-License-Identifier: MIT */
/* Stage 8: define the print format, the event, and the values of names in print formats.
 * The arguments of TP_printk become a string, in which the preprocessor has expanded
 * macros.  The server compiles this string. */
#include <trace/stages/undef.h>
#include <trace/stages/events.h>

#undef TP_printk
#define TP_printk(fmt, args...)	fmt "\1" __ulf_str(args)
#define __entry REC

/* Print formats in the file `format` show __print_ns_to_secs() and
 * __print_ns_without_secs() expanded, as in the kernel. */
#define __print_ns_to_secs(ns)		(ns) / 1000000000UL
#define __print_ns_without_secs(ns)	(ns) % 1000000000UL

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static const char print_fmt_##name[] = print;			\
	__ULF_END

/*
 * Define struct ulf_event for the event @event, and its row in the section __ulf_events.
 */
#define __ULF_EVENT(class, event, system, name, point, proto, args, print) \
	static void trace_event_direct_##event(void *__data, proto);	\
	static struct ulf_event event_##event = {			\
		system, name, point,					\
		__ULF_PTR(trace_event_raw_event_##class),		\
		(void (*)(void))trace_event_direct_##event,		\
		trace_event_fields_##class, print_fmt_##print,		\
		trace_event_print_##print,				\
		NULL, 0, 0, 0, __COUNTER__, __BASE_FILE__, NULL,	\
	};								\
	ULF_NOTRACE							\
	static void trace_event_direct_##event(void *__data, proto)	\
	{								\
		__data = &event_##event;				\
		trace_event_raw_event_##class(__data, args);		\
	}								\
	__ULF_ROW(struct ulf_event *, __event_##event, "__ulf_events",	\
		  &event_##event)
#define DEFINE_EVENT(template, name, proto, args)			\
	__ULF_EVENT(template, name, TRACE_SYSTEM_STRING, #name,		\
		    &__tracepoint_##name, PARAMS(proto), PARAMS(args),	\
		    template)
#define DEFINE_EVENT_NAMED(template, id, system, name, proto, args)	\
	__ULF_EVENT(template, id, system, name, &__tracepoint_##id,	\
		    PARAMS(proto), PARAMS(args), template)
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)		\
	static const char print_fmt_##name[] = print;			\
	__ULF_EVENT(template, name, TRACE_SYSTEM_STRING, #name,		\
		    &__tracepoint_##name, PARAMS(proto), PARAMS(args),	\
		    name)

/* Define a custom event.  At first the event belongs to a private tracepoint that is
 * never hit. trace_custom_event_<name>_update() attaches the event to @tp and returns
 * 1 if @tp has the event's name.  Otherwise the function returns 0. */
#define DEFINE_CUSTOM_EVENT(template, event, proto, args)		\
	static struct tracepoint tracepoint_custom_##event = {		\
		#event, NULL, NULL, NULL, 0, 0, NULL, NULL, NULL,	\
	};								\
	__ULF_EVENT(custom_##template, custom_##event, "custom", #event, \
		    &tracepoint_custom_##event, PARAMS(proto),		\
		    PARAMS(args), custom_##template)		\
	ULF_NOTRACE							\
	static inline __attribute__((__unused__)) int			\
	trace_custom_event_##event##_update(struct tracepoint *tp)	\
	{								\
		check_trace_callback_type_##event(			\
			trace_event_raw_event_custom_##template);	\
		if (strcmp(tp->name, #event))				\
			return 0;					\
		ulf_event_attach(&event_custom_##event, tp);		\
		return 1;						\
	}								\
	__ULF_END

#undef TRACE_DEFINE_ENUM
#undef TRACE_DEFINE_SIZEOF
#define TRACE_DEFINE_ENUM(name)						\
	__ULF_EVAL(__COUNTER__, #name, (long)(name))
#define TRACE_DEFINE_SIZEOF(type)					\
	__ULF_EVAL(__COUNTER__, "sizeof(" #type ")", (long)sizeof(type))
#define __ULF_EVAL(number, text, value)	__ULF_EVAL1(number, text, value)
#define __ULF_EVAL1(number, text, value)				\
	static const struct ulf_eval __ulf_eval_##number = {		\
		TRACE_SYSTEM_STRING, text, value,			\
	};								\
	__ULF_ROW(const struct ulf_eval *, __ulf_eval_row_##number,	\
		  "__ulf_evals", &__ulf_eval_##number)

/* Define a row of the section @table.  The linker joins the rows of all source
 * files to one table. */
#define __ULF_ROW(type, row, table, value)				\
	static type row __attribute__((__used__, __section__(table))) ULF_RETAIN = \
		value;							\
	__ULF_END
