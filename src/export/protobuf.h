/* SPDX-License-Identifier: MIT */
/*
 * Write messages in the wire format of protocol buffers.
 *
 * A message inside of a message has its length before it.  pb_begin() leaves one byte for the
 * length; pb_end() moves the message if the length needs more.
 */
#ifndef ULF_EXPORT_PROTOBUF_H
#define ULF_EXPORT_PROTOBUF_H

#include "base/text.h"

#include <stdint.h>

enum { PB_VARINT = 0, PB_FIXED64 = 1, PB_BYTES = 2 };	/* the wire types of protocol buffers:
							 * how a field is encoded */
#define PB_VARINT_MAX	10			/* maximum size of an encoded number, bytes */

/* Write the number @value to @at, which has space for PB_VARINT_MAX bytes.  Returns the
 * address after the number. */
static inline char *pb_store(char *at, uint64_t value)
{
	while (value >= 0x80) {
		*at++ = (char)(value | 0x80);
		value >>= 7;
	}
	*at++ = (char)value;
	return at;
}

static inline void pb_put_varint(struct text *out, uint64_t value)
{
	char *at = text_reserve(out, PB_VARINT_MAX);

	if (at)
		out->len = (size_t)(pb_store(at, value) - out->data);
}

/* Append a field whose value is an unsigned number. */
static inline void pb_put_uint(struct text *out, uint32_t field, uint64_t value)
{
	char *at = text_reserve(out, 2 * PB_VARINT_MAX);

	if (at)
		out->len = (size_t)(pb_store(pb_store(at, field << 3 | PB_VARINT), value) -
				    out->data);
}

/* Append a field whose value is a double. */
static inline void pb_put_double(struct text *out, uint32_t field, double value)
{
	pb_put_varint(out, field << 3 | PB_FIXED64);
	text_write(out, &value, sizeof(value));
}

/* Append a field whose value is a string. */
static inline void pb_put_bytes(struct text *out, uint32_t field, const char *data, size_t bytes)
{
	pb_put_varint(out, field << 3 | PB_BYTES);
	pb_put_varint(out, bytes);
	text_write(out, data, bytes);
}

static inline void pb_put_string(struct text *out, uint32_t field, const char *string)
{
	pb_put_bytes(out, field, string, strlen(string));
}

/* Begin a message that is the value of a field.  Returns a value for pb_end().  The caller
 * must end inner messages first. */
static inline size_t pb_begin(struct text *out, uint32_t field)
{
	pb_put_varint(out, field << 3 | PB_BYTES);
	text_putc(out, 0);
	return out->len;
}

/* End the message for which pb_begin() has returned @begin. */
static inline void pb_end(struct text *out, size_t begin)
{
	char length[PB_VARINT_MAX];
	size_t bytes = out->len - begin, more = (size_t)(pb_store(length, bytes) - length) - 1;

	if (out->error || (more && !text_reserve(out, more)))
		return;
	if (more)
		memmove(out->data + begin + more, out->data + begin, bytes);
	memcpy(out->data + begin - 1, length, more + 1);
	out->len += more;
}

#endif
