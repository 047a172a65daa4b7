/* SPDX-License-Identifier: MIT */
/* Stage 5: trace_event_get_offsets_<class>(): how long the dynamic fields
 * of this record are. */
#include <trace/stages/undef.h>
#include <trace/stages/events.h>

#define __entry entry

#define __field(type, item)
#define __array(type, item, len)
#define __dynamic_array(type, item, len)				\
	__data_offsets->item = ulf_dynamic_loc(&__data_size,		\
		(size_t)(len) * sizeof(type), offsetof(__ulf_raw, __data));
#define __string(item, src)						\
	__data_offsets->item##_ptr_ = ulf_string((const char *)(src));	\
	__data_offsets->item = ulf_dynamic_loc(&__data_size,		\
		strlen(__data_offsets->item##_ptr_) + 1,		\
		offsetof(__ulf_raw, __data));

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static inline __attribute__((always_inline)) size_t		\
	trace_event_get_offsets_##name(					\
		struct trace_event_data_offsets_##name *__data_offsets,	\
		proto)							\
	{								\
		typedef struct trace_event_raw_##name __ulf_raw		\
			__attribute__((unused));			\
		size_t __data_size = 0;					\
									\
		(void)__data_offsets;					\
		tstruct							\
		return __data_size;					\
	}
#define DEFINE_EVENT(template, name, proto, args)
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)
