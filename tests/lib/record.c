/* SPDX-License-Identifier: MIT */
/* Records that can be checked, see record.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "lib/record.h"

static uint64_t mix(uint64_t x)
{
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	x ^= x >> 32;
	x *= 0xd6e8feb86659fd93ull;
	return x ^ x >> 32;
}

static uint64_t seed_of(struct record_id id)
{
	return mix((uint64_t)id.writer << 32 | id.seq);
}

/* Lengths at which something changes: a word, the copy of 16 bytes at a time, the length
 * word, the largest record that fits. */
static const uint16_t edges[] = {
	8, 9, 11, 12, 13, 15, 16, 17, 20, 24, 28, 31, 32, 33, 48,
	108, 109, 111, 112, 113, 115, 116, 117, 120, 128,
	4052, 4056, 4057, 4059, 4060,
};

uint32_t record_bytes(struct record_id id)
{
	uint64_t seed = seed_of(id);
	uint32_t kind = seed & 0xff;
	uint32_t value = (uint32_t)(seed >> 8) & 0xffff;

	if (kind < 24)
		return edges[value % ARRAY_SIZE(edges)];
	if (kind < 30)
		return RECORD_BYTES_MIN +
		       value % (RECORD_BYTES_MAX - RECORD_BYTES_MIN + 1);
	if (kind < 60)
		return 100 + value % 300;
	return RECORD_BYTES_MIN + value % 100;
}

/* Returns the length in a slow ring.  Every 40th record leaves less space in a page of 4096
 * bytes than an ordinary append needs. */
static uint32_t record_bytes_slow(struct record_id id)
{
	uint64_t seed = seed_of(id);

	if ((seed >> 32 & 0xff) < 250)
		return record_bytes(id);
	return RECORD_BYTES_MAX + 1 +
	       (uint32_t)(seed >> 40) % (RECORD_BYTES_MAX_SLOW - RECORD_BYTES_MAX);
}

uint64_t record_head(struct record_id id)
{
	return (uint64_t)(seed_of(id) >> 48) << 48 |
	       (uint64_t)(id.writer & 0xffff) << 32 | id.seq;
}

int record_head_check(uint64_t head, struct record_id *ret_id)
{
	struct record_id id = {
		.writer = (uint32_t)(head >> 32) & 0xffff,
		.seq = (uint32_t)head,
	};

	if (record_head(id) != head)
		return -EBADMSG;
	*ret_id = id;
	return 0;
}

void record_fill_tail(void *to, uint32_t bytes, struct record_id id)
{
	uint64_t word = seed_of(id);

	for (uint32_t i = 0; i < bytes; i += 8) {
		word += 0x9e3779b97f4a7c15ull;
		memcpy((char *)to + i, &word, min_u32(8, bytes - i));
	}
}

int record_check_tail(const void *from, uint32_t bytes, struct record_id id)
{
	uint64_t word = seed_of(id);

	for (uint32_t i = 0; i < bytes; i += 8) {
		word += 0x9e3779b97f4a7c15ull;
		if (memcmp((const char *)from + i, &word,
			   min_u32(8, bytes - i)))
			return -EBADMSG;
	}
	return 0;
}

uint32_t record_fill(void *payload, struct record_id id, bool is_slow)
{
	uint64_t head = record_head(id);
	uint32_t bytes = is_slow ? record_bytes_slow(id) : record_bytes(id);

	memcpy(payload, &head, 8);
	record_fill_tail((char *)payload + 8, bytes - 8, id);
	return bytes;
}

int record_check(const void *payload, uint32_t bytes, struct record_id *ret_id)
{
	const char *p = payload;
	uint32_t expect;
	uint64_t head;

	if (bytes < 8)
		return -EBADMSG;
	memcpy(&head, p, 8);
	if (record_head_check(head, ret_id))
		return -EBADMSG;
	expect = record_bytes(*ret_id);
	if (bytes != ALIGN_UP(expect, 4u))
		expect = record_bytes_slow(*ret_id);
	if (bytes != ALIGN_UP(expect, 4u))
		return -EBADMSG;
	for (uint32_t i = expect; i < bytes; i++) {
		if (p[i])
			return -EBADMSG;
	}
	return record_check_tail(p + 8, expect - 8, *ret_id);
}

/* ---- tally ---- */

int tally_init(struct tally *tally)
{
	tally->count = 0;
	tally->writers = calloc(RECORD_WRITERS, sizeof(*tally->writers));
	return tally->writers ? 0 : -ENOMEM;
}

void tally_done(struct tally *tally)
{
	for (uint32_t i = 0; tally->writers && i < RECORD_WRITERS; i++)
		free(tally->writers[i].bits);
	free(tally->writers);
	tally->writers = NULL;
}

static int grow(struct tally_writer *writer, uint32_t seq)
{
	uint32_t nr = writer->nr_bits ? writer->nr_bits : 1024;
	uint64_t *bits;

	while (nr <= seq)
		nr *= 2;
	bits = realloc(writer->bits, nr / 8);
	if (!bits)
		return -ENOMEM;
	memset((char *)bits + writer->nr_bits / 8, 0,
	       (nr - writer->nr_bits) / 8);
	writer->bits = bits;
	writer->nr_bits = nr;
	return 0;
}

int tally_mark(struct tally *tally, struct record_id id)
{
	struct tally_writer *writer = &tally->writers[id.writer];
	uint64_t bit = 1ull << (id.seq % 64);

	if (id.seq >= 1u << 30)
		return -ENOMEM;
	if (id.seq >= writer->nr_bits && grow(writer, id.seq))
		return -ENOMEM;
	if (writer->bits[id.seq / 64] & bit)
		return -EEXIST;
	writer->bits[id.seq / 64] |= bit;
	writer->count++;
	tally->count++;
	return 0;
}

bool tally_has(const struct tally *tally, struct record_id id)
{
	const struct tally_writer *writer = &tally->writers[id.writer];

	return id.seq < writer->nr_bits &&
	       (writer->bits[id.seq / 64] >> (id.seq % 64) & 1);
}

uint32_t tally_count(const struct tally *tally, uint32_t writer, uint32_t end)
{
	uint32_t count = 0;

	for (uint32_t seq = 0; seq < end; seq++)
		count += tally_has(tally, (struct record_id){ writer, seq });
	return count;
}
