/* SPDX-License-Identifier: MIT */
/* Read values from DWARF tables, never beyond the end of the table. */
#ifndef ULF_CFI_CFI_BYTES_H
#define ULF_CFI_CFI_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* The bytes of a DWARF table that are not read yet.  A read beyond the end returns 0 and sets
 * @is_bad.  No read clears @is_bad, so the caller may check it once, after several reads. */
struct cfi_bytes {
	const uint8_t *at, *end;
	bool is_bad;
};

static inline uint64_t bytes_left(const struct cfi_bytes *bytes)
{
	return (uint64_t)(bytes->end - bytes->at);
}

static inline void bytes_skip(struct cfi_bytes *bytes, uint64_t nr)
{
	if (nr > bytes_left(bytes)) {
		bytes->is_bad = true;
		nr = bytes_left(bytes);
	}
	bytes->at += nr;
}

/* Define a function that reads one value of @type, little endian, from any alignment. */
#define BYTES_GET(name, type)						\
	static inline type name(struct cfi_bytes *bytes)		\
	{								\
		const uint8_t *at = bytes->at;				\
		type value = 0;						\
									\
		bytes_skip(bytes, sizeof(value));			\
		if (!bytes->is_bad)					\
			memcpy(&value, at, sizeof(value));		\
		return value;						\
	}
BYTES_GET(bytes_u8, uint8_t)
BYTES_GET(bytes_u16, uint16_t)
BYTES_GET(bytes_u32, uint32_t)
BYTES_GET(bytes_u64, uint64_t)
#undef BYTES_GET

/* Read an ULEB128: seven bits in each byte, the lowest first.  Bit 7 is set in all bytes
 * except the last.  Bits above the 64th are dropped.  Example: 0xe5 0x8e 0x26 is 624485. */
static inline uint64_t bytes_uleb(struct cfi_bytes *bytes)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = bytes_u8(bytes);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return value;
}

/* Read a SLEB128.  Its encoding is that of an ULEB128 (bytes_uleb()), but bit 6 of
 * the last byte is the sign. */
static inline int64_t bytes_sleb(struct cfi_bytes *bytes)
{
	uint64_t value = 0;
	unsigned int shift = 0;
	uint8_t byte;

	do {
		byte = bytes_u8(bytes);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		value |= ~0ull << shift;
	return (int64_t)value;
}

#endif
