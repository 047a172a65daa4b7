/* SPDX-License-Identifier: MIT */
/* Stage 4: the description of the fields, for `format`. */
#include <trace/stages/undef.h>
#include <trace/stages/events.h>

#define __ulf_is_signed(type)	((type)(-1) < (type)1)

#define __field(_type, _item)						\
	{ #_type, #_item, offsetof(__ulf_raw, _item),		\
	  sizeof(_type), 0, ULF_FIELD_PLAIN, __ulf_is_signed(_type) },
#define __array(_type, _item, _len)					\
	{ #_type, #_item, offsetof(__ulf_raw, _item),		\
	  sizeof(_type[_len]), _len, ULF_FIELD_ARRAY,			\
	  __ulf_is_signed(_type) },
#define __dynamic_array(_type, _item, _len)				\
	{ #_type, #_item, offsetof(__ulf_raw, __data_loc_##_item), \
	  4, 0, ULF_FIELD_DATA_LOC, __ulf_is_signed(_type) },
#define __string(_item, _src)	__dynamic_array(char, _item, -1)

/* In a function, where __ulf_raw can be another record for each class. */
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static const struct ulf_field *trace_event_fields_##name(void)	\
	{								\
		typedef struct trace_event_raw_##name __ulf_raw;	\
		static const struct ulf_field fields[] = {		\
			tstruct						\
			{ NULL, NULL, 0, sizeof(__ulf_raw), 0, 0, 0 }	\
		};							\
									\
		return fields;						\
	}
#define DEFINE_EVENT(template, name, proto, args)
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)
