/* SPDX-License-Identifier: MIT */
/* Reading the bytes of DWARF tables: never beyond their end. */
#ifndef ULF_RUNTIME_CFI_BYTES_H
#define ULF_RUNTIME_CFI_BYTES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What is read beyond the end is 0, and is_bad stays. */
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

/* Seven bits a byte; the rest of what is longer than 64 is dropped. */
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
