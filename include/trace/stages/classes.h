/* SPDX-License-Identifier: MIT */
/*
 * Each stage that processes event classes and their fields includes this file.  This
 * file reduces all kinds of fields to __field_ext, __field_struct_ext, __array and
 *	__ULF_DYNAMIC(loc, type, text, item, nr)	`nr` elements
 *	__ULF_STRING(loc, item, source, len, how)	`len` characters and a NUL
 * `loc` is __data_loc or, for the __rel_ macros, __rel_loc.  `text` is the type's name in
 * `format`.  `how`: ULF_STRING_...  The stage defines these macros.
 */
#include <trace/stages/undef.h>
#include <trace/stages/events.h>

#define DEFINE_EVENT(template, name, proto, args)		__ULF_END
#define DEFINE_EVENT_PRINT(template, name, proto, args, print)	__ULF_END
#define DEFINE_EVENT_NAMED(template, id, system, name, proto, args) __ULF_END
#define DEFINE_CUSTOM_EVENT(template, name, proto, args)	__ULF_END

#define __field(type, item)	__field_ext(type, item, FILTER_OTHER)
#define __field_struct(type, item) __field_struct_ext(type, item, FILTER_OTHER)

#define __dynamic_array(type, item, len)				\
	__ULF_DYNAMIC(__data_loc, type, #type "[]", item, len)
#define __string(item, src)						\
	__ULF_STRING(__data_loc, item, src, __ulf_strlen(item), 0)
#define __string_len(item, src, len)					\
	__ULF_STRING(__data_loc, item, src,				\
		     ulf_string_len(src, (size_t)(len)), ULF_STRING_LEN)
#define __vstring(item, fmt, va)					\
	__ULF_STRING(__data_loc, item, "", ulf_vstring_len(fmt, va), 0)
#define __bitmask(item, nr_bits)					\
	__ULF_DYNAMIC(__data_loc, unsigned long, "unsigned long[]", item, \
		      ULF_BITS_TO_LONGS(nr_bits))
#define __cpumask(item)							\
	__ULF_DYNAMIC(__data_loc, unsigned long, "cpumask_t", item,	\
		      ULF_BITS_TO_LONGS(__ulf_cpumask_bits))
#define __sockaddr(item, len)						\
	__ULF_DYNAMIC(__data_loc, unsigned char, "u8[]", item, len)

#define __rel_dynamic_array(type, item, len)				\
	__ULF_DYNAMIC(__rel_loc, type, #type "[]", item, len)
#define __rel_string(item, src)						\
	__ULF_STRING(__rel_loc, item, src, __ulf_strlen(item), 0)
#define __rel_string_len(item, src, len)				\
	__ULF_STRING(__rel_loc, item, src,				\
		     ulf_string_len(src, (size_t)(len)), ULF_STRING_LEN)
#define __rel_vstring(item, fmt, va)					\
	__ULF_STRING(__rel_loc, item, "", ulf_vstring_len(fmt, va), 0)
#define __rel_bitmask(item, nr_bits)					\
	__ULF_DYNAMIC(__rel_loc, unsigned long, "unsigned long[]", item, \
		      ULF_BITS_TO_LONGS(nr_bits))
#define __rel_cpumask(item)						\
	__ULF_DYNAMIC(__rel_loc, unsigned long, "cpumask_t", item,	\
		      ULF_BITS_TO_LONGS(__ulf_cpumask_bits))
#define __rel_sockaddr(item, len)					\
	__ULF_DYNAMIC(__rel_loc, unsigned char, "u8[]", item, len)

#ifdef nr_cpumask_bits
#define __ulf_cpumask_bits	nr_cpumask_bits
#else
#define __ulf_cpumask_bits	ulf_nr_cpus()
#endif
