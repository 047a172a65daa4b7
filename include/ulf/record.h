/* SPDX-License-Identifier: MIT */
/* Functions that assemble records, for the probes that <trace/define_trace.h>
 * generates.  A record has a fixed part, and after it the data of its dynamic fields.
 * The fixed part has a word for each dynamic field: length << 16 | offset, in bytes. */
#ifndef ULF_RECORD_H
#define ULF_RECORD_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <ulf/event.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a filter treats a field: the last argument of __field_ext(). */
enum {
	FILTER_OTHER,
	FILTER_STATIC_STRING,
	FILTER_DYN_STRING,
	FILTER_RDYN_STRING,
	FILTER_PTR_STRING,
	FILTER_TRACE_FN,
	FILTER_CPUMASK,
	FILTER_COMM,
	FILTER_CPU,
	FILTER_STACKTRACE,
};

/*
 * ULF_RECORD_HEADROOM: number of bytes before a record on the stack that libulf may
 * overwrite.  ULF_RECORD_MAX: size limit of a record, in bytes.
 */
#define ULF_RECORD_HEADROOM	16
#define ULF_RECORD_MAX		4060

#ifdef __cplusplus
#define ULF_STATIC_ASSERT	static_assert
#else
#define ULF_STATIC_ASSERT	_Static_assert
#endif
#define ULF_CHECK_BYTES(bytes, what)					\
	ULF_STATIC_ASSERT((bytes) <= ULF_RECORD_MAX,			\
			  what " is larger than a record can be, "	\
			  __ulf_str(ULF_RECORD_MAX) " bytes");

/* Macros that round up the size of a record to a multiple of 4.  ULF_RECORD_PAD sets
 * the bytes between the data and the end of the record to 0. */
#define ULF_RECORD_BYTES(bytes)	(((bytes) + 3) & ~(size_t)3)
#define ULF_RECORD_ALLOC(bytes)						\
	((char *)__builtin_alloca_with_align(				\
		(bytes) + ULF_RECORD_HEADROOM, 128) + ULF_RECORD_HEADROOM)
#define ULF_RECORD_PAD(entry, bytes)					\
	do {								\
		if ((bytes) != sizeof(*(entry)))			\
			memset((char *)(entry) + (bytes) - 4, 0, 4);	\
	} while (0)

/* ---- functions that compute the lengths of dynamic fields ---- */

/* Returns @s, or "(null)" if @s is NULL. */
ULF_NOTRACE
static inline const char *ulf_string(const char *s)
{
	return s ? s : "(null)";
}

/* Returns @len, or the length of "(null)" if @s is NULL. */
ULF_NOTRACE
static inline size_t ulf_string_len(const void *s, size_t len)
{
	return s ? len : strlen("(null)");
}

/* Returns the word (length << 16 | offset) of a dynamic field with @nr elements, and
 * adds the field's length to *@data_bytes.  If the length is above ULF_RECORD_MAX, the
 * record becomes too big in any case, even if all other fields are empty. */
ULF_NOTRACE
static inline unsigned int ulf_dynamic_loc(size_t *data_bytes, size_t nr,
					   size_t elem_bytes, size_t offset)
{
	size_t len = nr * elem_bytes;
	unsigned int loc;

	if (nr > ULF_RECORD_MAX)
		len = ULF_RECORD_MAX + 1;
	loc = (unsigned int)len << 16 |
	      (unsigned int)((*data_bytes + offset) & 0xffff);
	*data_bytes += len;
	return loc;
}

/* Flags that say how a string is copied into a record. */
#define ULF_STRING_LEN	1	/* the trace header gives the length of the string
				 * (__string_len), so the string need not end in a
				 * NUL */
#define ULF_STRING_CUT	2	/* only the start of the string is recorded, because
				 * the whole string would make the record too big */

/*
 * Returns the word of a dynamic field as ulf_dynamic_loc() does, for a string of @len
 * characters and a NUL.
 * @is_tight: not 0 if the record is too big with all strings uncut.  Then each string
 * gets at most 7/8 of the space that is left.  The rest of the space is for the fields
 * after the string.
 * @how: ULF_STRING_CUT is added to it if the string is cut.
 */
ULF_NOTRACE
static inline unsigned int ulf_string_loc(size_t *data_bytes, size_t len,
					  size_t offset, size_t entry_bytes,
					  int is_tight, unsigned char *how)
{
	size_t taken = entry_bytes + *data_bytes;

	if (is_tight && taken + 8 <= ULF_RECORD_MAX) {
		size_t left = ULF_RECORD_MAX - taken;
		size_t most = left - left / 8;

		/* Do not cut a string whose length is negative: the record must stay
		 * too big, so that it is not recorded. */
		if (len >= most && len < (size_t)-1 / 2) {
			len = most - 1;
			*how |= ULF_STRING_CUT;
		}
	}
	return ulf_dynamic_loc(data_bytes, len + 1, 1, offset);
}

/* The largest __vstring in bytes, including the NUL, as in the kernel. */
#define ULF_VSTRING_MAX		512

/* Returns the length of the formatted string without the NUL, at most ULF_VSTRING_MAX - 1.
 * errno is kept. */
ULF_NOTRACE
static inline __attribute__((__format__(__printf__, 1, 0))) size_t
ulf_vstring_len(const char *fmt, va_list *va)
{
	int saved_errno = errno;
	va_list copy;
	int len;

	va_copy(copy, *va);
	len = vsnprintf(NULL, 0, fmt, copy);
	va_end(copy);
	errno = saved_errno;
	if (len < 0)
		return 0;
	return len < ULF_VSTRING_MAX ? (size_t)len : ULF_VSTRING_MAX - 1;
}

#define ULF_BITS_TO_LONGS(nr)						\
	(((size_t)(nr) + 8 * sizeof(long) - 1) / (8 * sizeof(long)))
#define ULF_BITS_TO_BYTES(nr)	(ULF_BITS_TO_LONGS(nr) * sizeof(long))

/* Returns the number of CPUs, or 0 if the process is not traced.  A __cpumask field has
 * this many bits if the program does not define nr_cpumask_bits. */
ULF_EXPORT ULF_NOPLT unsigned int ulf_nr_cpus(void);

/* ---- functions that fill in dynamic fields; they never write more than the length in the
 * field's word ---- */

/* Copy memory as memcpy() does.  For a few bytes this is faster than memcpy(), if @len
 * is not a constant. */
ULF_NOTRACE
static inline void ulf_copy(char *dst, const char *src, size_t len)
{
	size_t i = 0;

	if (len < 8) {
		for (; i < len; i++) {
			dst[i] = src[i];
			__asm__("" : "+r"(i));	/* keeps the compiler from replacing
						 * this loop by a call of memcpy() */
		}
		return;
	}
	for (; i < len - 8; i += 8) {
		memcpy(dst + i, src + i, 8);
		__asm__("" : "+r"(i));
	}
	memcpy(dst + len - 8, src + len - 8, 8);
}

/* Mark a string as cut: replace the last characters of its field, which has @len bytes, by
 * dots. */
ULF_NOTRACE
static inline void ulf_mark_cut(char *dst, size_t len)
{
	for (size_t i = len < 4 ? 0 : len - 4; i + 1 < len; i++)
		dst[i] = '.';
}

/* Copy up to @len bytes of @src to the field @dst.  Stop at a NUL, or when the field is
 * full.  Fill the rest of the field with zeros.  @loc: the word of the field. */
ULF_NOTRACE
static inline void ulf_assign_bounded(char *dst, unsigned int loc,
				      const char *src, size_t len)
{
	size_t room = loc >> 16, i;

	if (!room)
		return;
	for (i = 0; i < room - 1 && i < len && src[i]; i++)
		dst[i] = src[i];
	memset(dst + i, 0, room - i);
	if (i < len && src[i])
		ulf_mark_cut(dst, room);
}

/*
 * Copy the string @src to the field @dst.
 * @loc: the word of the field.
 * @measured: the string from which the length in @loc was computed; @src may be another
 * string.
 * @how: ULF_STRING_... flags.
 */
ULF_NOTRACE
static inline void ulf_assign_str(char *dst, unsigned int loc, const char *src,
				  const char *measured, unsigned char how)
{
	size_t len = loc >> 16;

	if (!len)
		return;
	src = ulf_string(src);
	if (src != measured) {
		ulf_assign_bounded(dst, loc, src, (size_t)-1);
		return;
	}
	if (how & ULF_STRING_LEN) {
		ulf_assign_bounded(dst, loc, src, len - 1);
	} else {
		ulf_copy(dst, src, len - 1);
		dst[len - 1] = '\0';
	}
	if (how & ULF_STRING_CUT)
		ulf_mark_cut(dst, len);
}

/* Format a string into the field @dst.  @loc: the word of the field.  errno is kept. */
ULF_NOTRACE
static inline __attribute__((__format__(__printf__, 3, 0))) void
ulf_assign_vstr(char *dst, unsigned int loc, const char *fmt, va_list *va)
{
	int saved_errno = errno;
	va_list copy;
	int len;

	va_copy(copy, *va);
	len = vsnprintf(dst, loc >> 16, fmt, copy);
	va_end(copy);
	errno = saved_errno;
	if (len >= 0 && (size_t)len >= loc >> 16)
		ulf_mark_cut(dst, loc >> 16);
}

/* Copy @bytes bytes to the field @dst, but not more than the length of the field.  Fill
 * the rest of the field with zeros.  @loc: the word of the field (__data_loc): length
 * << 16 | offset. */
ULF_NOTRACE
static inline void ulf_assign_bytes(void *dst, unsigned int loc,
				    const void *src, size_t bytes)
{
	size_t room = loc >> 16;

	if (bytes > room)
		bytes = room;
	memcpy(dst, src, bytes);
	memset((char *)dst + bytes, 0, room - bytes);
}

/* ---- functions that are never called: they let the compiler check print formats
 * (trace/stages/print.h) ---- */

struct trace_seq;

ULF_NOTRACE
static inline __attribute__((__unused__)) void
ulf_printk_check(const char *fmt, ...)
{
	(void)fmt;
}

ULF_NOTRACE
static inline __attribute__((__unused__)) const char *
ulf_print_check(const void *buf, long len)
{
	(void)len;
	return (const char *)buf;
}

#ifdef __cplusplus
}
#endif

#endif
