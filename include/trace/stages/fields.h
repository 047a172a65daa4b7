/* SPDX-License-Identifier: MIT */
/* Stage 4: define the description of a class's fields, for the file `format`. */
#include <trace/stages/classes.h>

#define __ulf_is_signed(type)	((type)(-1) < (type)1)

#define __field_ext(_type, _item, _filter)				\
	{ #_type, #_item, offsetof(__ulf_raw, _item), sizeof(_type), 0,	\
	  __ulf_is_signed(_type), _filter },
#define __field_struct_ext(_type, _item, _filter)			\
	{ #_type, #_item, offsetof(__ulf_raw, _item), sizeof(_type), 0,	\
	  0, _filter },
#define __array(_type, _item, _len)					\
	{ #_type "[]", #_item, offsetof(__ulf_raw, _item),		\
	  sizeof(_type[_len]), _len, __ulf_is_signed(_type), FILTER_OTHER },
#define __ULF_DYNAMIC(loc, type, text, item, nr)			\
	{ #loc " " text, #item, offsetof(__ulf_raw, loc##_##item), 4, 0, \
	  __ulf_is_signed(type), FILTER_OTHER },
#define __ULF_STRING(loc, item, src, len, how)				\
	__ULF_DYNAMIC(loc, char, "char[]", item, len)

/* Each class defines its own type __ulf_raw, which the rows of the table use.  The table is
 * inside of a function, so that each class has a scope for its __ulf_raw. */
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	ULF_NOTRACE							\
	static const struct ulf_field *trace_event_fields_##name(void)	\
	{								\
		typedef struct trace_event_raw_##name __ulf_raw;	\
		static const struct ulf_field fields[] = {		\
			tstruct						\
			{ NULL, NULL, 0, sizeof(__ulf_raw), 0, 0, 0 }	\
		};							\
									\
		return fields;						\
	}								\
	__ULF_END
