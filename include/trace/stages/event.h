/* SPDX-License-Identifier: MIT */
/*
 * Stage 7: print fmt and the event itself.  What TP_printk says stays text,
 * which the server compiles; only macros in it are expanded.
 */
#include <trace/stages/undef.h>
#include <trace/stages/events.h>

#undef TP_printk
#define TP_printk(fmt, args...)	"\"" fmt "\", " __ulf_str(args)
#define __entry REC

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static const char print_fmt_##name[] = print;
#define __ULF_EVENT(template, name, proto, args, fmt)			\
	static void trace_event_direct_##name(void *__data, proto);	\
	static struct ulf_event event_##name = {			\
		__ulf_str(TRACE_SYSTEM), #name, &__tracepoint_##name,	\
		(void *)trace_event_raw_event_##template,		\
		(void (*)(void))trace_event_direct_##name,		\
		trace_event_fields_##template, fmt,			\
		NULL, 0, 0, 0, { 0, 0, 0 }, NULL,			\
	};								\
	static void trace_event_direct_##name(void *__data, proto)	\
	{								\
		__data = &event_##name;					\
		trace_event_raw_event_##template(__data, args);		\
	}								\
	static struct ulf_event *__event_##name				\
	__attribute__((used, section("__ulf_events"))) ULF_RETAIN =	\
		&event_##name;
#define DEFINE_EVENT(template, name, proto, args)			\
	__ULF_EVENT(template, name, PARAMS(proto), PARAMS(args),	\
		    print_fmt_##template)
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)		\
	static const char print_fmt_##name[] = print;			\
	__ULF_EVENT(template, name, PARAMS(proto), PARAMS(args),	\
		    print_fmt_##name)
