/* SPDX-License-Identifier: MIT */
/*
 * LTTng-UST's <lttng/tracepoint.h>, for ulf: a provider header that was written for LTTng-UST
 * makes events of ulf, unchanged.  docs/ADOPT.md says how a program is compiled, and what
 * differs from LTTng-UST.
 *
 *	LTTNG_UST_TRACEPOINT_EVENT(disk, seek,
 *		LTTNG_UST_TP_ARGS(int, from, int, to),
 *		LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(int, from, from)
 *				    lttng_ust_field_integer_hex(int, to, to)))
 *
 * becomes the TRACE_EVENT
 *
 *	disk___seek		the C name; `seek` in the system `disk` for users
 *	TP_PROTO(int __ulf_none, int from, int to)
 *	TP_STRUCT__entry(__field(int, from) __field(int, to))
 *	TP_fast_assign(__entry->from = (from); __entry->to = (to);)
 *	TP_printk("from=%d to=0x%x", __entry->from, __entry->to)
 *
 * The unused first argument is there because a tracepoint has at least one.
 *
 * LTTNG_UST_TP_FIELDS is a sequence of tuples: (INT, int, from, from, D) (INT, int, to, to, X).
 * The macros __ULF_UST_FIELDS_AS(what, fields) go through it, from left to right, and
 * replace each tuple by __ULF_UST_<what>_<kind>(the other elements).
 */
#ifndef ULF_LTTNG_TRACEPOINT_H
#define ULF_LTTNG_TRACEPOINT_H

#include <linux/tracepoint.h>

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef LTTNG_UST_COMPAT_API_VERSION
#define LTTNG_UST_COMPAT_API_VERSION 0
#endif
#define LTTNG_UST_COMPAT_API(major)	(LTTNG_UST_COMPAT_API_VERSION <= (major))

/* ---- calls ---- */

#define lttng_ust_tracepoint_enabled(provider, name)			\
	__ULF_UST_ID(trace_, provider, name, _enabled)()
#define lttng_ust_do_tracepoint(provider, name, args...)		\
	__ULF_UST_ID(trace_, provider, name, )(0, ##args)
/* The arguments are evaluated only while the event is on. */
#define lttng_ust_tracepoint(provider, name, args...)			\
	do {								\
		if (lttng_ust_tracepoint_enabled(provider, name))	\
			lttng_ust_do_tracepoint(provider, name, ##args); \
	} while (0)

/* ---- arguments of a tracepoint: pairs of type and name ---- */

#define LTTNG_UST_TP_ARGS(...) __VA_ARGS__
#define LTTNG_UST_TP_FIELDS(...) __VA_ARGS__
#define LTTNG_UST_TP_ENUM_VALUES(...) __VA_ARGS__

#define __ULF_UST_CAT(a, b)	__ULF_UST_CAT1(a, b)
#define __ULF_UST_CAT1(a, b)	a##b
#define __ULF_UST_ID(before, provider, name, after)			\
	__ULF_UST_ID1(before, provider, name, after)
#define __ULF_UST_ID1(before, provider, name, after)			\
	before##provider##___##name##after

/* Counts macro arguments: two for each argument of the tracepoint.  The count 1
 * means that the tracepoint has no arguments: the list is empty, or the word
 * void. */
#define __ULF_UST_NR(args...)						\
	__ULF_UST_NR1(args, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11,	\
		      10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define __ULF_UST_NR1(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, \
		      s, t, nr, ...) nr
#define __ULF_UST_PROTO(args...)					\
	int __ulf_none __ULF_UST_CAT(__ULF_UST_PROTO_, __ULF_UST_NR(args))(args)
#define __ULF_UST_NAMES(args...)					\
	__ulf_none __ULF_UST_CAT(__ULF_UST_NAMES_, __ULF_UST_NR(args))(args)

#define __ULF_UST_PROTO_1(none)
#define __ULF_UST_PROTO_2(t, n)		, t n
#define __ULF_UST_PROTO_4(t, n, r...)	, t n __ULF_UST_PROTO_2(r)
#define __ULF_UST_PROTO_6(t, n, r...)	, t n __ULF_UST_PROTO_4(r)
#define __ULF_UST_PROTO_8(t, n, r...)	, t n __ULF_UST_PROTO_6(r)
#define __ULF_UST_PROTO_10(t, n, r...)	, t n __ULF_UST_PROTO_8(r)
#define __ULF_UST_PROTO_12(t, n, r...)	, t n __ULF_UST_PROTO_10(r)
#define __ULF_UST_PROTO_14(t, n, r...)	, t n __ULF_UST_PROTO_12(r)
#define __ULF_UST_PROTO_16(t, n, r...)	, t n __ULF_UST_PROTO_14(r)
#define __ULF_UST_PROTO_18(t, n, r...)	, t n __ULF_UST_PROTO_16(r)
#define __ULF_UST_PROTO_20(t, n, r...)	, t n __ULF_UST_PROTO_18(r)
#define __ULF_UST_NAMES_1(none)
#define __ULF_UST_NAMES_2(t, n)		, n
#define __ULF_UST_NAMES_4(t, n, r...)	, n __ULF_UST_NAMES_2(r)
#define __ULF_UST_NAMES_6(t, n, r...)	, n __ULF_UST_NAMES_4(r)
#define __ULF_UST_NAMES_8(t, n, r...)	, n __ULF_UST_NAMES_6(r)
#define __ULF_UST_NAMES_10(t, n, r...)	, n __ULF_UST_NAMES_8(r)
#define __ULF_UST_NAMES_12(t, n, r...)	, n __ULF_UST_NAMES_10(r)
#define __ULF_UST_NAMES_14(t, n, r...)	, n __ULF_UST_NAMES_12(r)
#define __ULF_UST_NAMES_16(t, n, r...)	, n __ULF_UST_NAMES_14(r)
#define __ULF_UST_NAMES_18(t, n, r...)	, n __ULF_UST_NAMES_16(r)
#define __ULF_UST_NAMES_20(t, n, r...)	, n __ULF_UST_NAMES_18(r)

/* ---- fields: tuples ---- */

#define lttng_ust_field_integer(type, item, src)	(INT, type, item, src, D)
#define lttng_ust_field_integer_hex(type, item, src)	(INT, type, item, src, X)
#define lttng_ust_field_integer_network(type, item, src) (NET, type, item, src, D)
#define lttng_ust_field_integer_network_hex(type, item, src) (NET, type, item, src, X)
#define lttng_ust_field_float(type, item, src)		(FLOAT, type, item, src)
#define lttng_ust_field_enum(provider, name, type, item, src)		\
	(ENUM, provider, name, type, item, src)
#define lttng_ust_field_string(item, src)		(STRING, item, src)
#define lttng_ust_field_array(type, item, src, len)	(ARRAY, type, item, src, len)
#define lttng_ust_field_array_network(type, item, src, len)		\
	(NETARRAY, type, item, src, len)
#define lttng_ust_field_array_text(type, item, src, len) (TEXT, type, item, src, len)
#define lttng_ust_field_sequence(type, item, src, len_type, len)	\
	(SEQ, type, item, src, len)
#define lttng_ust_field_sequence_network(type, item, src, len_type, len) \
	(NETSEQ, type, item, src, len)
#define lttng_ust_field_sequence_text(type, item, src, len_type, len)	\
	(SEQTEXT, item, src, len)
#define lttng_ust_field_unused(src)

/* Arrays and sequences are printed with __print_array(), which always prints hexadecimal
 * numbers.  So a field with _hex in its name is the same as the field without. */
#define lttng_ust_field_array_hex		lttng_ust_field_array
#define lttng_ust_field_array_network_hex	lttng_ust_field_array_network
#define lttng_ust_field_sequence_hex		lttng_ust_field_sequence
#define lttng_ust_field_sequence_network_hex	lttng_ust_field_sequence_network

/* LTTng-UST's filters can test `nowrite` fields, which the record does not contain.
 * ulf's filters can only test the record, so these fields are left out. */
#define lttng_ust_field_integer_nowrite(type, item, src)
#define lttng_ust_field_float_nowrite(type, item, src)
#define lttng_ust_field_enum_nowrite(provider, name, type, item, src)
#define lttng_ust_field_string_nowrite(item, src)
#define lttng_ust_field_array_nowrite(type, item, src, len)
#define lttng_ust_field_array_nowrite_hex				\
	lttng_ust_field_array_nowrite
#define lttng_ust_field_array_network_nowrite				\
	lttng_ust_field_array_nowrite
#define lttng_ust_field_array_network_nowrite_hex			\
	lttng_ust_field_array_nowrite
#define lttng_ust_field_array_text_nowrite lttng_ust_field_array_nowrite
#define lttng_ust_field_sequence_nowrite(type, item, src, len_type, len)
#define lttng_ust_field_sequence_nowrite_hex				\
	lttng_ust_field_sequence_nowrite
#define lttng_ust_field_sequence_network_nowrite			\
	lttng_ust_field_sequence_nowrite
#define lttng_ust_field_sequence_network_nowrite_hex			\
	lttng_ust_field_sequence_nowrite
#define lttng_ust_field_sequence_text_nowrite lttng_ust_field_sequence_nowrite
#define lttng_ust_field_unused_nowrite(src)

/* Replace each tuple of @fields by a macro call.  The macros ..._A and ..._B take turns,
 * because a macro cannot call itself.  The last of these names remains without a tuple:
 * pasting _END to it makes it a macro that expands to nothing. */
#define __ULF_UST_FIELDS_AS(what, fields)				\
	__ULF_UST_END(__ULF_UST_##what##_A fields)
#define __ULF_UST_END(replaced...)	__ULF_UST_END1(replaced)
#define __ULF_UST_END1(replaced...)	replaced##_END
#define __ULF_UST_STRUCT_A(kind, a...)	__ULF_UST_STRUCT_##kind(a) __ULF_UST_STRUCT_B
#define __ULF_UST_STRUCT_B(kind, a...)	__ULF_UST_STRUCT_##kind(a) __ULF_UST_STRUCT_A
#define __ULF_UST_STRUCT_A_END
#define __ULF_UST_STRUCT_B_END
#define __ULF_UST_ASSIGN_A(kind, a...)	__ULF_UST_ASSIGN_##kind(a) __ULF_UST_ASSIGN_B
#define __ULF_UST_ASSIGN_B(kind, a...)	__ULF_UST_ASSIGN_##kind(a) __ULF_UST_ASSIGN_A
#define __ULF_UST_ASSIGN_A_END
#define __ULF_UST_ASSIGN_B_END
#define __ULF_UST_FORMAT_A(kind, a...)	__ULF_UST_FORMAT_##kind(a) __ULF_UST_FORMAT_B
#define __ULF_UST_FORMAT_B(kind, a...)					\
	" " __ULF_UST_FORMAT_##kind(a) __ULF_UST_FORMAT_C
#define __ULF_UST_FORMAT_C(kind, a...)					\
	" " __ULF_UST_FORMAT_##kind(a) __ULF_UST_FORMAT_B
#define __ULF_UST_FORMAT_A_END
#define __ULF_UST_FORMAT_B_END
#define __ULF_UST_FORMAT_C_END
#define __ULF_UST_VALUES_A(kind, a...)	__ULF_UST_VALUES_##kind(a) __ULF_UST_VALUES_B
#define __ULF_UST_VALUES_B(kind, a...)	__ULF_UST_VALUES_##kind(a) __ULF_UST_VALUES_A
#define __ULF_UST_VALUES_A_END
#define __ULF_UST_VALUES_B_END
#define __ULF_UST_SIZES_A(kind, a...)	__ULF_UST_SIZES_##kind(a) __ULF_UST_SIZES_B
#define __ULF_UST_SIZES_B(kind, a...)	__ULF_UST_SIZES_##kind(a) __ULF_UST_SIZES_A
#define __ULF_UST_SIZES_A_END
#define __ULF_UST_SIZES_B_END

/* ---- what each kind of field becomes in TRACE_EVENT ---- */

/*
 * printf's conversion for an integer of @type.  The preprocessor sees only the spelling of
 * the type.  Its first word decides: `unsigned long` -> __ULF_UST_CONV_unsigned long.  A
 * type that is not in this list counts as signed, so an uint64_t of another name, above
 * 2^63, prints as a negative number.
 */
#define __ULF_UST_CONV_D(type)						\
	__ULF_UST_2ND(__ULF_UST_CONV_##type, "%lld", "")
#define __ULF_UST_CONV_X(type)						\
	__ULF_UST_3RD(__ULF_UST_CONV_##type, "0x%llx", "0x%llx", "")
#define __ULF_UST_2ND(args...)			__ULF_UST_2ND1(args)
#define __ULF_UST_2ND1(a, b, ...)		b
#define __ULF_UST_3RD(args...)			__ULF_UST_3RD1(args)
#define __ULF_UST_3RD1(a, b, c, ...)		c
#define __ULF_UST_INT32		, "%d", "0x%x",
#define __ULF_UST_INT16		, "%d", "0x%hx",
#define __ULF_UST_INT8		, "%d", "0x%hhx",
#define __ULF_UST_UNSIGNED	, "%llu", "0x%llx",
#define __ULF_UST_CONV_int		__ULF_UST_INT32
#define __ULF_UST_CONV_int32_t		__ULF_UST_INT32
#define __ULF_UST_CONV_short		__ULF_UST_INT16
#define __ULF_UST_CONV_int16_t		__ULF_UST_INT16
#define __ULF_UST_CONV_char		__ULF_UST_INT8
#define __ULF_UST_CONV_int8_t		__ULF_UST_INT8
#define __ULF_UST_CONV_unsigned		__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_uint64_t		__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_uint32_t		__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_uint16_t		__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_uint8_t		__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_u_int64_t	__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_uintptr_t	__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_uintmax_t	__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_size_t		__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_dev_t		__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_ino_t		__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_u64		__ULF_UST_UNSIGNED
#define __ULF_UST_CONV___u64		__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_ulong		__ULF_UST_UNSIGNED
#define __ULF_UST_CONV_quint64		__ULF_UST_UNSIGNED

#define __ULF_UST_STRUCT_INT(type, item, src, base)	__field(type, item)
#define __ULF_UST_ASSIGN_INT(type, item, src, base)	__entry->item = (src);
#define __ULF_UST_FORMAT_INT(type, item, src, base)	\
	#item "=" __ULF_UST_CONV_##base(type)
#define __ULF_UST_VALUES_INT(type, item, src, base)	, __entry->item
#define __ULF_UST_SIZES_INT(type, item, src, base)

#define __ULF_UST_STRUCT_NET			__ULF_UST_STRUCT_INT
#define __ULF_UST_ASSIGN_NET(type, item, src, base)			\
	{								\
		type __ulf_value = (src);				\
									\
		ulf_ust_from_network(&__ulf_value, sizeof(type), sizeof(type)); \
		__entry->item = __ulf_value;				\
	}
#define __ULF_UST_FORMAT_NET			__ULF_UST_FORMAT_INT
#define __ULF_UST_VALUES_NET			__ULF_UST_VALUES_INT
#define __ULF_UST_SIZES_NET			__ULF_UST_SIZES_INT

#define __ULF_UST_STRUCT_FLOAT(type, item, src)	__field(type, item)
#define __ULF_UST_ASSIGN_FLOAT(type, item, src)	__entry->item = (src);
#define __ULF_UST_FORMAT_FLOAT(type, item, src)	#item "=%g"
#define __ULF_UST_VALUES_FLOAT(type, item, src)	, __entry->item
#define __ULF_UST_SIZES_FLOAT(type, item, src)

/* For a field of an enumeration, the record has the number and the address of
 * the number's label. */
#define __ULF_UST_STRUCT_ENUM(provider, name, type, item, src)		\
	__field(type, item) __field(const char *, item##_label)
#define __ULF_UST_ASSIGN_ENUM(provider, name, type, item, src)		\
	__entry->item = (src);						\
	__entry->item##_label =						\
		ulf_ust_label(__ULF_UST_ID(__ulf_ust_enum_, provider, name, ), \
			      (unsigned long long)__entry->item);
#define __ULF_UST_FORMAT_ENUM(provider, name, type, item, src)		\
	#item "=%s (" __ULF_UST_CONV_D(type) ")"
#define __ULF_UST_VALUES_ENUM(provider, name, type, item, src)		\
	, __entry->item##_label, __entry->item
#define __ULF_UST_SIZES_ENUM(provider, name, type, item, src)

#define __ULF_UST_STRUCT_STRING(item, src)	__string(item, src)
#define __ULF_UST_ASSIGN_STRING(item, src)	__assign_str(item);
#define __ULF_UST_FORMAT_STRING(item, src)	#item "=%s"
#define __ULF_UST_VALUES_STRING(item, src)	, __get_str(item)
#define __ULF_UST_SIZES_STRING(item, src)

#define __ULF_UST_STRUCT_ARRAY(type, item, src, len)	__array(type, item, len)
#define __ULF_UST_ASSIGN_ARRAY(type, item, src, len)			\
	memcpy(__entry->item, src, sizeof(__entry->item));
#define __ULF_UST_FORMAT_ARRAY(type, item, src, len)	#item "=%s"
#define __ULF_UST_VALUES_ARRAY(type, item, src, len)			\
	, __print_array(__entry->item, len, sizeof(type))
#define __ULF_UST_SIZES_ARRAY(type, item, src, len)	TRACE_DEFINE_SIZEOF(type)

#define __ULF_UST_STRUCT_NETARRAY		__ULF_UST_STRUCT_ARRAY
#define __ULF_UST_ASSIGN_NETARRAY(type, item, src, len)			\
	__ULF_UST_ASSIGN_ARRAY(type, item, src, len)			\
	ulf_ust_from_network(__entry->item, sizeof(__entry->item), sizeof(type));
#define __ULF_UST_FORMAT_NETARRAY		__ULF_UST_FORMAT_ARRAY
#define __ULF_UST_VALUES_NETARRAY		__ULF_UST_VALUES_ARRAY
#define __ULF_UST_SIZES_NETARRAY		__ULF_UST_SIZES_ARRAY

#define __ULF_UST_STRUCT_TEXT			__ULF_UST_STRUCT_ARRAY
#define __ULF_UST_ASSIGN_TEXT			__ULF_UST_ASSIGN_ARRAY
#define __ULF_UST_FORMAT_TEXT			__ULF_UST_FORMAT_ARRAY
#define __ULF_UST_VALUES_TEXT(type, item, src, len)	, __entry->item
#define __ULF_UST_SIZES_TEXT(type, item, src, len)

#define __ULF_UST_STRUCT_SEQ(type, item, src, len)	__dynamic_array(type, item, len)
#define __ULF_UST_ASSIGN_SEQ(type, item, src, len)			\
	if (__get_dynamic_array_len(item))				\
		memcpy(__get_dynamic_array(item), src,			\
		       __get_dynamic_array_len(item));
#define __ULF_UST_FORMAT_SEQ(type, item, src, len)	#item "=%s"
#define __ULF_UST_VALUES_SEQ(type, item, src, len)			\
	, __print_array(__get_dynamic_array(item),			\
			__get_dynamic_array_len(item) / sizeof(type), sizeof(type))
#define __ULF_UST_SIZES_SEQ(type, item, src, len)	TRACE_DEFINE_SIZEOF(type)

#define __ULF_UST_STRUCT_NETSEQ			__ULF_UST_STRUCT_SEQ
#define __ULF_UST_ASSIGN_NETSEQ(type, item, src, len)			\
	__ULF_UST_ASSIGN_SEQ(type, item, src, len)			\
	ulf_ust_from_network(__get_dynamic_array(item),			\
			     __get_dynamic_array_len(item), sizeof(type));
#define __ULF_UST_FORMAT_NETSEQ			__ULF_UST_FORMAT_SEQ
#define __ULF_UST_VALUES_NETSEQ			__ULF_UST_VALUES_SEQ
#define __ULF_UST_SIZES_NETSEQ			__ULF_UST_SIZES_SEQ

#define __ULF_UST_STRUCT_SEQTEXT(item, src, len)	__string_len(item, src, len)
#define __ULF_UST_ASSIGN_SEQTEXT(item, src, len)	__assign_str(item);
#define __ULF_UST_FORMAT_SEQTEXT(item, src, len)	#item "=%s"
#define __ULF_UST_VALUES_SEQTEXT(item, src, len)	, __get_str(item)
#define __ULF_UST_SIZES_SEQTEXT(item, src, len)


/* ---- events ---- */

#define LTTNG_UST_TRACEPOINT_EVENT(provider, name, args, fields)	\
	LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, PARAMS(args),	\
					 PARAMS(fields))		\
	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(provider, name, provider, name, \
					    PARAMS(args))
#define LTTNG_UST_TRACEPOINT_EVENT_CLASS(provider, name, args, fields)	\
	__ULF_UST_CLASS(__ULF_UST_ID(, provider, name, ), PARAMS(args),	\
			PARAMS(fields))
#define LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(class_provider, class_name,	\
					    provider, name, args)	\
	__ULF_UST_INSTANCE(__ULF_UST_ID(, class_provider, class_name, ), \
			   __ULF_UST_ID(, provider, name, ), provider,	\
			   name, PARAMS(args))
#define __ULF_UST_CLASS(id, args, fields)				\
	__ULF_UST_FIELDS_AS(SIZES, fields)				\
	__ULF_UST_CLASS1(id, PARAMS(__ULF_UST_PROTO(args)),		\
		PARAMS(__ULF_UST_NAMES(args)),				\
		PARAMS(__ULF_UST_FIELDS_AS(STRUCT, fields)),		\
		PARAMS(__ULF_UST_FIELDS_AS(ASSIGN, fields)),		\
		__ULF_UST_PRINTK("" __ULF_UST_FIELDS_AS(FORMAT, fields)	\
				 __ULF_UST_FIELDS_AS(VALUES, fields)))
#define __ULF_UST_CLASS1(id, proto, args, tstruct, assign, print)	\
	DECLARE_EVENT_CLASS(id, PARAMS(proto), PARAMS(args),		\
			    TP_STRUCT__entry(tstruct),			\
			    TP_fast_assign((void)__ulf_none; assign), PARAMS(print))
#define __ULF_UST_PRINTK(args...)	TP_printk(args)
#define __ULF_UST_INSTANCE(class, id, provider, name, args)		\
	__ULF_UST_INSTANCE1(class, id, provider, name,			\
			    PARAMS(__ULF_UST_PROTO(args)),		\
			    PARAMS(__ULF_UST_NAMES(args)))
#define __ULF_UST_INSTANCE1(class, id, provider, name, proto, args)	\
	DEFINE_EVENT_NAMED(class, id, #provider, #name, PARAMS(proto),	\
			   PARAMS(args))

/* The log level and model of an event are dropped: ulf's events have neither. */
#define LTTNG_UST_TRACEPOINT_LOGLEVEL(provider, name, level)	__ULF_END
#define LTTNG_UST_TRACEPOINT_MODEL_EMF_URI(provider, name, uri)	__ULF_END

enum lttng_ust_tracepoint_loglevel {
	LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG		= 0,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_ALERT		= 1,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_CRIT		= 2,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_ERR		= 3,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING		= 4,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_NOTICE		= 5,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO		= 6,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_SYSTEM	= 7,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_PROGRAM	= 8,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_PROCESS	= 9,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_MODULE	= 10,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_UNIT	= 11,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_FUNCTION	= 12,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_LINE	= 13,
	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG		= 14,
};

/* ---- enumerations ---- */

/* A row of LTTNG_UST_TRACEPOINT_ENUM: the label of the values from @first to @last.  If
 * @is_auto is 1, the row has only one value: the last value of the previous row plus 1, or
 * 0 in the first row. */
struct ulf_ust_label {
	const char *label;
	unsigned long long first, last;
	int is_auto;
};

#define LTTNG_UST_TRACEPOINT_ENUM(provider, name, values)		\
	__ULF_UST_ENUM(__ULF_UST_ID(__ulf_ust_enum_, provider, name, ),	\
		       PARAMS(values))
#define lttng_ust_field_enum_value(label, value)	(ROW, label, value, value, 0)
#define lttng_ust_field_enum_range(label, first, last)			\
	(ROW, label, first, last, 0)
#define lttng_ust_field_enum_auto(label)		(ROW, label, 0, 0, 1)

#define __ULF_UST_ROWS_A(kind, a...)	__ULF_UST_ROWS_##kind(a) __ULF_UST_ROWS_B
#define __ULF_UST_ROWS_B(kind, a...)	__ULF_UST_ROWS_##kind(a) __ULF_UST_ROWS_A
#define __ULF_UST_ROWS_A_END
#define __ULF_UST_ROWS_B_END
#define __ULF_UST_LABELS_A(kind, a...)	__ULF_UST_LABELS_##kind(a) __ULF_UST_LABELS_B
#define __ULF_UST_LABELS_B(kind, a...)	__ULF_UST_LABELS_##kind(a) __ULF_UST_LABELS_A
#define __ULF_UST_LABELS_A_END
#define __ULF_UST_LABELS_B_END

#define __ULF_UST_ROWS_ROW(label, first, last, is_auto)			\
	{ label, (unsigned long long)(first), (unsigned long long)(last), is_auto },
/* List the label in printk_formats, so that readers of a trace.dat file find the text of
 * its address.  A compiler stores equal strings of a source file once, so the address of
 * this string is also that of the enumeration's row. */
#define __ULF_UST_LABELS_ROW(label, first, last, is_auto)		\
	static const char *__ULF_UST_CAT(__ulf_ust_label_, __COUNTER__)	\
	__tracepoint_string = label;

/* Expands to nothing by default: only one stage of <lttng/tracepoint-event.h>
 * redefines this macro to make the rows. */
#define __ULF_UST_ENUM(id, values)	__ULF_END

/* Returns the label of @value in @row, an array that ends in a row without a label. */
ULF_NOTRACE
static inline const char *ulf_ust_label(const struct ulf_ust_label *row,
					unsigned long long value)
{
	unsigned long long next = 0;

	for (; row->label; row++) {
		unsigned long long first = row->is_auto ? next : row->first;
		unsigned long long last = row->is_auto ? next : row->last;

		/* This comparison of unsigned differences works for signed and
		 * for unsigned ranges. */
		if (value - first <= last - first)
			return row->label;
		next = last + 1;
	}
	return "<unknown>";
}

/* Reverse the bytes of each element of @data, which has @bytes bytes.  An element has
 * @size bytes. */
ULF_NOTRACE
static inline void ulf_ust_from_network(void *data, size_t bytes, size_t size)
{
	unsigned char *element = (unsigned char *)data;

	for (; bytes >= size; bytes -= size, element += size) {
		for (size_t i = 0; i < size / 2; i++) {
			unsigned char byte = element[i];

			element[i] = element[size - 1 - i];
			element[size - 1 - i] = byte;
		}
	}
}

/* ---- LTTng-UST's names before 2.13 ---- */

#if LTTNG_UST_COMPAT_API(0)
#undef tracepoint_enabled	/* ulf's takes one argument */
#define tracepoint_enabled(provider, name) lttng_ust_tracepoint_enabled(provider, name)
#define tracepoint(provider, name, args...)				\
	lttng_ust_tracepoint(provider, name, ##args)
#define do_tracepoint(provider, name, args...)				\
	lttng_ust_do_tracepoint(provider, name, ##args)

#define TP_FIELDS			LTTNG_UST_TP_FIELDS
#define TP_ENUM_VALUES			LTTNG_UST_TP_ENUM_VALUES
#define TRACEPOINT_EVENT		LTTNG_UST_TRACEPOINT_EVENT
#define TRACEPOINT_EVENT_CLASS		LTTNG_UST_TRACEPOINT_EVENT_CLASS
#define TRACEPOINT_EVENT_INSTANCE(provider, class_name, name, args)	\
	LTTNG_UST_TRACEPOINT_EVENT_INSTANCE(provider, class_name, provider, \
					    name, PARAMS(args))
#define TRACEPOINT_ENUM			LTTNG_UST_TRACEPOINT_ENUM
#define TRACEPOINT_LOGLEVEL		LTTNG_UST_TRACEPOINT_LOGLEVEL
#define TRACEPOINT_MODEL_EMF_URI	LTTNG_UST_TRACEPOINT_MODEL_EMF_URI

#define TRACE_EMERG		LTTNG_UST_TRACEPOINT_LOGLEVEL_EMERG
#define TRACE_ALERT		LTTNG_UST_TRACEPOINT_LOGLEVEL_ALERT
#define TRACE_CRIT		LTTNG_UST_TRACEPOINT_LOGLEVEL_CRIT
#define TRACE_ERR		LTTNG_UST_TRACEPOINT_LOGLEVEL_ERR
#define TRACE_WARNING		LTTNG_UST_TRACEPOINT_LOGLEVEL_WARNING
#define TRACE_NOTICE		LTTNG_UST_TRACEPOINT_LOGLEVEL_NOTICE
#define TRACE_INFO		LTTNG_UST_TRACEPOINT_LOGLEVEL_INFO
#define TRACE_DEBUG_SYSTEM	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_SYSTEM
#define TRACE_DEBUG_PROGRAM	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_PROGRAM
#define TRACE_DEBUG_PROCESS	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_PROCESS
#define TRACE_DEBUG_MODULE	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_MODULE
#define TRACE_DEBUG_UNIT	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_UNIT
#define TRACE_DEBUG_FUNCTION	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_FUNCTION
#define TRACE_DEBUG_LINE	LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG_LINE
#define TRACE_DEBUG		LTTNG_UST_TRACEPOINT_LOGLEVEL_DEBUG

#define ctf_array	lttng_ust_field_array
#define ctf_array_hex	lttng_ust_field_array_hex
#define ctf_array_network	lttng_ust_field_array_network
#define ctf_array_network_hex	lttng_ust_field_array_network_hex
#define ctf_array_network_nowrite	lttng_ust_field_array_network_nowrite
#define ctf_array_network_nowrite_hex	lttng_ust_field_array_network_nowrite_hex
#define ctf_array_nowrite	lttng_ust_field_array_nowrite
#define ctf_array_nowrite_hex	lttng_ust_field_array_nowrite_hex
#define ctf_array_text	lttng_ust_field_array_text
#define ctf_array_text_nowrite	lttng_ust_field_array_text_nowrite
#define ctf_enum	lttng_ust_field_enum
#define ctf_enum_auto	lttng_ust_field_enum_auto
#define ctf_enum_nowrite	lttng_ust_field_enum_nowrite
#define ctf_enum_range	lttng_ust_field_enum_range
#define ctf_enum_value	lttng_ust_field_enum_value
#define ctf_float	lttng_ust_field_float
#define ctf_float_nowrite	lttng_ust_field_float_nowrite
#define ctf_integer	lttng_ust_field_integer
#define ctf_integer_hex	lttng_ust_field_integer_hex
#define ctf_integer_network	lttng_ust_field_integer_network
#define ctf_integer_network_hex	lttng_ust_field_integer_network_hex
#define ctf_integer_nowrite	lttng_ust_field_integer_nowrite
#define ctf_sequence	lttng_ust_field_sequence
#define ctf_sequence_hex	lttng_ust_field_sequence_hex
#define ctf_sequence_network	lttng_ust_field_sequence_network
#define ctf_sequence_network_hex	lttng_ust_field_sequence_network_hex
#define ctf_sequence_network_nowrite	lttng_ust_field_sequence_network_nowrite
#define ctf_sequence_network_nowrite_hex	lttng_ust_field_sequence_network_nowrite_hex
#define ctf_sequence_nowrite	lttng_ust_field_sequence_nowrite
#define ctf_sequence_nowrite_hex	lttng_ust_field_sequence_nowrite_hex
#define ctf_sequence_text	lttng_ust_field_sequence_text
#define ctf_sequence_text_nowrite	lttng_ust_field_sequence_text_nowrite
#define ctf_string	lttng_ust_field_string
#define ctf_string_nowrite	lttng_ust_field_string_nowrite
#define ctf_unused	lttng_ust_field_unused
#define ctf_unused_nowrite	lttng_ust_field_unused_nowrite
#endif

#endif
