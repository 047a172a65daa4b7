/* SPDX-License-Identifier: MIT */
/* Stage 3: where the dynamic fields of a record go, and for strings what is
 * copied there: struct trace_event_data_offsets_<class>. */
#include <trace/stages/undef.h>
#include <trace/stages/events.h>

#define __field(type, item)
#define __array(type, item, len)
#define __dynamic_array(type, item, len) unsigned int item;
#define __string(item, src)		unsigned int item; \
					const char *item##_ptr_;

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct trace_event_data_offsets_##name {			\
		char __ulf_first;					\
		tstruct							\
	};
#define DEFINE_EVENT(template, name, proto, args)
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)
