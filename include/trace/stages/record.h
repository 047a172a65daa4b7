/* SPDX-License-Identifier: MIT */
/* Stage 6: define trace_event_raw_event_<class>(), the probe that records an event.  The
 * probe assembles the record on the stack, and ulf_event_commit() copies it into the ring. */
#include <trace/stages/classes.h>

#define __entry entry

#define __field_ext(type, item, filter)
#define __field_struct_ext(type, item, filter)
#define __array(type, item, len)
#define __ULF_DYNAMIC(loc, type, text, item, nr)			\
	__entry->loc##_##item = __data_offsets.item;
#define __ULF_STRING(loc, item, src, len, how)				\
	__entry->loc##_##item = __data_offsets.item;

#include <trace/stages/get.h>

/* Trace headers written for Linux 6.9 or older have a second argument, the source of
 * the string; newer trace headers do not.  This macro accepts both forms. */
#define __assign_str(dst, ...)						\
	__ulf_assign_str(__get_str(dst), dst, ##__VA_ARGS__,		\
			 __data_offsets.dst##_ptr_)
#define __assign_rel_str(dst, ...)					\
	__ulf_assign_str(__get_rel_str(dst), dst, ##__VA_ARGS__,	\
			 __data_offsets.dst##_ptr_)
#define __ulf_assign_str(to, dst, src, ...)				\
	ulf_assign_str(to, __data_offsets.dst, (const char *)(src),	\
		       __data_offsets.dst##_ptr_,			\
		       __data_offsets.dst##_how_)
#define __assign_str_len(dst, src, len)					\
	ulf_assign_bounded(__get_str(dst), __data_offsets.dst,		\
			   ulf_string((const char *)(src)), (size_t)(len))
#define __assign_rel_str_len(dst, src, len)				\
	ulf_assign_bounded(__get_rel_str(dst), __data_offsets.dst,	\
			   ulf_string((const char *)(src)), (size_t)(len))
#define __assign_vstr(dst, fmt, va)					\
	ulf_assign_vstr(__get_str(dst), __data_offsets.dst, fmt, va)
#define __assign_rel_vstr(dst, fmt, va)					\
	ulf_assign_vstr(__get_rel_str(dst), __data_offsets.dst, fmt, va)

#define __assign_bitmask(dst, src, nr_bits)				\
	ulf_assign_bytes(__get_bitmask(dst), __data_offsets.dst, src,	\
			 ULF_BITS_TO_BYTES(nr_bits))
#define __assign_rel_bitmask(dst, src, nr_bits)				\
	ulf_assign_bytes(__get_rel_bitmask(dst), __data_offsets.dst, src, \
			 ULF_BITS_TO_BYTES(nr_bits))
#define __assign_cpumask(dst, src)					\
	__assign_bitmask(dst, src, __ulf_cpumask_bits)
#define __assign_rel_cpumask(dst, src)					\
	__assign_rel_bitmask(dst, src, __ulf_cpumask_bits)
#define __assign_sockaddr(dst, src, len)				\
	ulf_assign_bytes(__get_sockaddr(dst), __data_offsets.dst, src,	\
			 (size_t)(len))
#define __assign_rel_sockaddr(dst, src, len)				\
	ulf_assign_bytes(__get_rel_sockaddr(dst), __data_offsets.dst, src, \
			 (size_t)(len))

/* Define the probe of a class.  If the record is too big, trace_event_cut_<class>()
 * assembles it again with shortened strings. */
#define DECLARE_EVENT_CLASS(name, proto, args, tstruct, assign, print)	\
	static void trace_event_cut_##name(void *__data, proto);	\
	ULF_NOTRACE ULF_UNALIGNED					\
	static inline __attribute__((__always_inline__)) void		\
	trace_event_write_##name(int __ulf_is_tight, void *__data, proto) \
	{								\
		typedef struct trace_event_raw_##name __ulf_raw		\
			__attribute__((__unused__));			\
		const struct ulf_event *__ulf_event =			\
			(const struct ulf_event *)__data;		\
		struct trace_event_data_offsets_##name __data_offsets;	\
		struct {						\
			char headroom[ULF_RECORD_HEADROOM];		\
			struct trace_event_raw_##name entry;		\
		} __attribute__((__aligned__(16))) __ulf_fixed;		\
		struct trace_event_raw_##name *entry;			\
		size_t __ulf_bytes;					\
									\
		__ulf_bytes = ULF_RECORD_BYTES(sizeof(*entry) +		\
			trace_event_get_offsets_##name(&__data_offsets,	\
				__ulf_is_tight, args));			\
		if (__builtin_expect(__ulf_bytes > ULF_RECORD_MAX, 0)) { \
			if (__ulf_is_tight)				\
				ulf_event_too_big(__ulf_event);		\
			else						\
				trace_event_cut_##name(__data, args);	\
			return;						\
		}							\
		/* Avoid alloca(constant): compilers make poor code from it. */ \
		if (__builtin_constant_p(__ulf_bytes) &&		\
		    __ulf_bytes == sizeof(*entry))			\
			entry = &__ulf_fixed.entry;			\
		else							\
			entry = (struct trace_event_raw_##name *)	\
				(void *)ULF_RECORD_ALLOC(__ulf_bytes);	\
		ULF_RECORD_PAD(entry, __ulf_bytes);			\
		tstruct							\
		{ assign; }						\
		ulf_event_commit(__ulf_event, entry, __ulf_bytes);	\
	}								\
	ULF_NOTRACE ULF_UNALIGNED					\
	static __attribute__((__noinline__, __cold__)) void			\
	trace_event_cut_##name(void *__data, proto)			\
	{								\
		trace_event_write_##name(1, __data, args);		\
	}								\
	ULF_NOTRACE ULF_UNALIGNED					\
	static void trace_event_raw_event_##name(void *__data, proto)	\
	{								\
		trace_event_write_##name(0, __data, args);		\
	}								\
	__ULF_END
