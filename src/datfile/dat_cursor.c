/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>

#include "abi/ring.h"
#include "base/bits.h"
#include "datfile/dat_cursor.h"

#define PLAIN_BYTES	(256u << 10)	/* size of one read if the records are not compressed,
					 * bytes */
#define COMMIT_MASK	((1u << 27) - 1)	/* bits of a page's commit word with the
						 * number of bytes of data in the page */

static int block_reserve(uint8_t **data, uint32_t *room, uint32_t bytes)
{
	uint8_t *larger;

	if (bytes <= *room)
		return 0;
	larger = realloc(*data, bytes);
	if (!larger)
		return -ENOMEM;
	*data = larger;
	*room = bytes;
	return 0;
}

static int read_chunk(struct dat_cursor *cursor, struct dat_block *block)
{
	uint32_t sizes[2];
	int r;

	if (!cursor->chunks)
		return 0;
	if (cursor->end - cursor->off < sizeof(sizes))
		return -EBADMSG;
	r = dat_read(cursor->file, cursor->off, sizes, sizeof(sizes));
	if (r)
		return r;
	cursor->off += sizeof(sizes);
	if (sizes[0] > cursor->end - cursor->off || sizes[1] > DAT_CHUNK_MAX ||
	    sizes[0] > DAT_CHUNK_MAX || sizes[1] % cursor->buffer->public.page_bytes)
		return -EBADMSG;
	r = block_reserve(&cursor->packed, &cursor->packed_room, sizes[0]);
	if (!r)
		r = block_reserve(&block->data, &block->room, sizes[1]);
	if (!r)
		r = dat_read(cursor->file, cursor->off, cursor->packed, sizes[0]);
	if (!r)
		r = dat_unpack(cursor->packed, sizes[0], block->data, sizes[1]);
	if (r)
		return r;
	cursor->off += sizes[0];
	cursor->chunks--;
	block->bytes = sizes[1];
	return 0;
}

static int read_plain(struct dat_cursor *cursor, struct dat_block *block)
{
	uint32_t page_bytes = cursor->buffer->public.page_bytes;
	uint32_t bytes = page_bytes > PLAIN_BYTES ? page_bytes : PLAIN_BYTES;
	int r;

	bytes = (uint32_t)min_u64(bytes, cursor->end - cursor->off);
	bytes -= bytes % page_bytes;
	r = block_reserve(&block->data, &block->room, bytes);
	if (!r)
		r = dat_read(cursor->file, cursor->off, block->data, bytes);
	if (r)
		return r;
	cursor->off += bytes;
	block->bytes = bytes;
	return 0;
}

/* Read the next pages of the file into the block that does not contain the current record.
 * Returns 1; 0 at the end of the file; or -errno. */
static int read_block(struct dat_cursor *cursor)
{
	struct dat_block *block = &cursor->block[!cursor->current];
	int r;

	block->bytes = 0;
	r = cursor->buffer->is_packed ? read_chunk(cursor, block) : read_plain(cursor, block);
	if (r || !block->bytes)
		return r;
	cursor->current = !cursor->current;
	cursor->page = 0;
	return 1;
}

/* Read the header of the page at cursor->page.  A page that reports lost records may be
 * without records. */
static int enter_page(struct dat_cursor *cursor)
{
	const struct dat_block *block = &cursor->block[cursor->current];
	uint32_t page_bytes = cursor->buffer->public.page_bytes, bytes;
	const uint8_t *page = block->data + cursor->page;
	uint64_t commit, lost = UINT64_MAX;

	memcpy(&cursor->time, page, 8);
	memcpy(&commit, page + 8, 8);
	bytes = (uint32_t)commit & COMMIT_MASK;
	if (bytes > page_bytes - ABI_PAGE_HEADER)
		return -EBADMSG;
	cursor->at = cursor->page + ABI_PAGE_HEADER;
	cursor->page_end = cursor->at + bytes;
	cursor->page += page_bytes;
	if (!(commit & ABI_COMMIT_MISSED))
		return 0;
	if ((commit & ABI_COMMIT_STORED) && page_bytes - ABI_PAGE_HEADER - bytes >= 8)
		memcpy(&lost, page + ABI_PAGE_HEADER + bytes, 8);
	cursor->lost = lost > UINT64_MAX - cursor->lost ? UINT64_MAX : cursor->lost + lost;
	return 0;
}

static uint32_t word_at(const uint8_t *at)
{
	uint32_t word;

	memcpy(&word, at, 4);
	return word;
}

/*
 * Parse the next record of the page into cursor->next.  Returns 1; 0 at the end of the page;
 * or -EBADMSG.
 *
 * A record that the kernel has discarded is padding with a time delta.  Such a record has a
 * length, so the next record can be found, and its time delta counts for the times of later
 * records.
 */
static int parse_record(struct dat_cursor *cursor)
{
	const uint8_t *data = cursor->block[cursor->current].data;

	while (cursor->page_end - cursor->at >= 8) {
		const uint8_t *at = data + cursor->at;
		uint32_t left = cursor->page_end - cursor->at, word = word_at(at);
		uint32_t type_len = word & ((1u << ABI_REC_TYPE_BITS) - 1);
		uint64_t delta = word >> ABI_REC_TYPE_BITS;
		uint32_t head = 4, bytes = 4 * type_len;

		if (type_len == ABI_REC_TIME_EXTEND || type_len == ABI_REC_TIME_STAMP) {
			delta += (uint64_t)word_at(at + 4) << ABI_REC_DELTA_BITS;
			/* A time stamp record has the low 59 bits of the time.  The high bits
			 * are those of the last known time. */
			cursor->time = type_len == ABI_REC_TIME_EXTEND ? cursor->time + delta :
				       delta | (cursor->time & ~((1ull << 59) - 1));
			cursor->at += 8;
			continue;
		}
		if (type_len == ABI_REC_PADDING && !delta)
			break;
		if (type_len == ABI_REC_PADDING || !type_len) {
			bytes = word_at(at + 4);
			if (bytes < 4)
				return -EBADMSG;
			bytes -= 4;
			head = 8;
		}
		if (bytes > left - head)
			return -EBADMSG;
		cursor->time += delta;
		cursor->at += head + ALIGN_UP(bytes, 4u);
		if (cursor->at > cursor->page_end)
			return -EBADMSG;
		if (type_len == ABI_REC_PADDING)
			continue;
		cursor->next = (struct dat_entry){
			.time = cursor->time, .lost = cursor->lost,
			.data = at + head, .bytes = bytes,
		};
		cursor->lost = 0;
		return 1;
	}
	return 0;
}

/* Find the record after the current one, in the next page or block if necessary.  Returns 1;
 * 0 after the last record; or -errno. */
static int find_next(struct dat_cursor *cursor)
{
	for (;;) {
		int r = parse_record(cursor);

		if (r)
			return r;
		if (cursor->page >= cursor->block[cursor->current].bytes) {
			r = read_block(cursor);
			if (r <= 0)
				return r;
		}
		r = enter_page(cursor);
		if (r)
			return r;
	}
}

void dat_cursor_advance(struct dat_cursor *cursor)
{
	int r;

	cursor->has_entry = cursor->has_next;
	cursor->entry = cursor->next;
	cursor->has_next = false;
	if (!cursor->has_entry || cursor->error)
		return;
	r = find_next(cursor);
	cursor->has_next = r > 0;
	if (r < 0)
		cursor->error = r;
}

int dat_cursor_init(struct dat_cursor *cursor, const struct datfile *file,
		    const struct dat_buffer *buffer, const struct dat_cpu *cpu)
{
	int r = 0;

	*cursor = (struct dat_cursor){
		.file = file, .buffer = buffer, .cpu = cpu->cpu,
		.off = cpu->off, .end = cpu->off + cpu->bytes,
	};
	if (cpu->off > file->bytes || cpu->bytes > file->bytes - cpu->off)
		return -EBADMSG;
	if (buffer->is_packed && cpu->bytes) {
		r = dat_read(file, cursor->off, &cursor->chunks, sizeof(cursor->chunks));
		cursor->off += sizeof(cursor->chunks);
		/* The size of a CPU's data in the file does not include the word with the
		 * number of chunks. */
		cursor->end = min_u64(cursor->off + cpu->bytes, file->bytes);
	}
	if (r)
		return r;
	r = find_next(cursor);
	if (r < 0)
		return r;
	cursor->has_next = r;
	dat_cursor_advance(cursor);
	return 0;
}

void dat_cursor_done(struct dat_cursor *cursor)
{
	free(cursor->block[0].data);
	free(cursor->block[1].data);
	free(cursor->packed);
}
