/* SPDX-License-Identifier: MIT */
/*
 * Stage 6: trace_event_raw_event_<class>(), the probe that records.  The
 * record is assembled on the stack and copied into the ring as a whole.
 */
#include <trace/stages/undef.h>
#include <trace/stages/events.h>

#define __entry entry

#define __field(type, item)
#define __array(type, item, len)
#define __dynamic_array(type, item, len)				\
	__entry->__data_loc_##item = __data_offsets.item;
#define __string(item, src)						\
	__entry->__data_loc_##item = __data_offsets.item;

#define __get_dynamic_array(field)					\
	((void *)((char *)__entry + (__entry->__data_loc_##field & 0xffff)))
#define __get_dynamic_array_len(field)					\
	((__entry->__data_loc_##field >> 16) & 0xffff)
#define __get_str(field)	((char *)__get_dynamic_array(field))

/* Up to Linux 6.9 the source is given again, since 6.10 it is not. */
#define __assign_str(dst, ...)						\
	ulf_assign_str(__get_str(dst), __entry->__data_loc_##dst,	\
		       __ulf_source(dst, ##__VA_ARGS__,			\
				    __data_offsets.dst##_ptr_),		\
		       __data_offsets.dst##_ptr_)
#undef __ulf_source
#define __ulf_source(dst, src, ...)	((const char *)(src))

#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static void trace_event_raw_event_##name(void *__data, proto)	\
	{								\
		const struct ulf_event *__ulf_event =			\
			(const struct ulf_event *)__data;		\
		struct trace_event_data_offsets_##name __data_offsets;	\
		struct trace_event_raw_##name *entry;			\
		size_t __ulf_bytes;					\
									\
		__ulf_bytes = ULF_RECORD_BYTES(sizeof(*entry) +		\
			trace_event_get_offsets_##name(&__data_offsets,	\
						       args));		\
		if (__builtin_expect(__ulf_bytes > ULF_RECORD_MAX, 0)) { \
			ulf_event_too_big(__ulf_event);			\
			return;						\
		}							\
		entry = (struct trace_event_raw_##name *)		\
			(void *)ULF_RECORD_ALLOC(__ulf_bytes);		\
		ULF_RECORD_PAD(entry, __ulf_bytes);			\
		tstruct							\
		{ assign; }						\
		ulf_event_commit(__ulf_event, entry, __ulf_bytes);	\
	}
#define DEFINE_EVENT(template, name, proto, args)
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)
