/* SPDX-License-Identifier: MIT */
/* Stage 5: define trace_event_get_offsets_<class>(), which computes the lengths and offsets
 * of the dynamic fields of a record, and returns the number of bytes of all dynamic fields. */
#include <trace/stages/classes.h>

#define __entry entry

/* The base of the offset in a dynamic field's word: __data_loc counts from the
 * start of the record, __rel_loc from the end of the word itself. */
#define __ulf_base__data_loc(item)	0
#define __ulf_base__rel_loc(item)	(offsetof(__ulf_raw, __rel_loc_##item) + 4)
#define __ulf_strlen(item)		strlen(__data_offsets->item##_ptr_)

#define __field_ext(type, item, filter)
#define __field_struct_ext(type, item, filter)
#define __array(type, item, len)
#define __ULF_DYNAMIC(loc, type, text, item, nr)			\
	__data_offsets->item = ulf_dynamic_loc(&__data_size,		\
		(size_t)(nr), sizeof(type),				\
		offsetof(__ulf_raw, __data) - __ulf_base##loc(item));
#define __ULF_STRING(loc, item, src, len, how)				\
	__data_offsets->item##_ptr_ = ulf_string((const char *)(src));	\
	__data_offsets->item##_how_ = how;				\
	__data_offsets->item = ulf_string_loc(&__data_size, len,	\
		offsetof(__ulf_raw, __data) - __ulf_base##loc(item),	\
		sizeof(__ulf_raw), __ulf_is_tight,			\
		&__data_offsets->item##_how_);

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	ULF_NOTRACE							\
	static inline __attribute__((__always_inline__)) size_t		\
	trace_event_get_offsets_##name(					\
		struct trace_event_data_offsets_##name *__data_offsets,	\
		int __ulf_is_tight, proto)				\
	{								\
		typedef struct trace_event_raw_##name __ulf_raw		\
			__attribute__((__unused__));			\
		size_t __data_size = 0;					\
									\
		(void)__data_offsets;					\
		tstruct							\
		return __data_size;					\
	}								\
	__ULF_END
