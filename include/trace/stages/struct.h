/* SPDX-License-Identifier: MIT */
/* Stage 2: define the record, struct trace_event_raw_<class>. */
#include <trace/stages/classes.h>

#define __field_ext(type, item, filter)					\
	type item;							\
	ULF_CHECK_BYTES(sizeof(type), "__field(" #type ", " #item ")")
#define __field_struct_ext(type, item, filter)				\
	type item;							\
	ULF_CHECK_BYTES(sizeof(type), "__field_struct(" #type ", " #item ")")
#define __array(type, item, len)					\
	type item[len];							\
	ULF_CHECK_BYTES(sizeof(type[len]),				\
			"__array(" #type ", " #item ", " #len ")")
#define __ULF_DYNAMIC(loc, type, text, item, nr)	unsigned int loc##_##item;
#define __ULF_STRING(loc, item, src, len, how)		unsigned int loc##_##item;

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	struct trace_event_raw_##name {					\
		struct trace_entry ent;					\
		tstruct							\
		__extension__ char __data[0];				\
	};								\
	ULF_CHECK_BYTES(sizeof(struct trace_event_raw_##name),		\
			"TP_STRUCT__entry of " #name)			\
	__ULF_END
