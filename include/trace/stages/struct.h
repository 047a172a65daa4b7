/* SPDX-License-Identifier: MIT */
/* Stage 2: the record, struct trace_event_raw_<class>. */
#include <trace/stages/undef.h>
#include <trace/stages/events.h>

#define __field(type, item)		type item;
#define __array(type, item, len)	type item[len];
#define __dynamic_array(type, item, len) unsigned int __data_loc_##item;
#define __string(item, src)		unsigned int __data_loc_##item;

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct trace_event_raw_##name {					\
		struct trace_entry ent;					\
		tstruct							\
		__extension__ char __data[0];				\
	};
#define DEFINE_EVENT(template, name, proto, args)
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)
