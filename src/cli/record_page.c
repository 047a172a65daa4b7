/* SPDX-License-Identifier: MIT */
#include "cli/record_page.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "abi/ring.h"

#define LOST_BYTES	8u		/* size of the number in a page that says how many
					 * records were lost, bytes */
#define EXTEND_BYTES	8u
#define SMALL_MAX	(ABI_REC_MAX_SMALL * 4u)	/* largest payload whose length fits
							 * in the header of the record, bytes */

static void put_word(struct record_pages *pages, uint32_t word)
{
	memcpy(pages->page + ABI_PAGE_HEADER + pages->used, &word, sizeof(word));
	pages->used += sizeof(word);
}

/* End the page: store its commit word, and fill the rest of the page with zeroes. */
static void end_page(struct record_pages *pages)
{
	uint32_t room = pages->page_bytes - ABI_PAGE_HEADER;
	uint64_t commit = pages->used;
	uint8_t *data = pages->page + ABI_PAGE_HEADER;

	memset(data + pages->used, 0, room - pages->used);
	if (pages->page_lost) {
		commit |= ABI_COMMIT_MISSED;
		if (room - pages->used >= LOST_BYTES) {
			commit |= ABI_COMMIT_STORED;
			memcpy(data + pages->used, &pages->page_lost, LOST_BYTES);
		}
	}
	memcpy(pages->page + 8, &commit, sizeof(commit));
	pages->chunk->bytes += pages->page_bytes;
	pages->page = NULL;
}

void record_pages_flush(struct record_pages *pages)
{
	if (pages->page)
		end_page(pages);
	if (pages->chunk) {
		pages->chunk->temp = pages->temp;
		record_chunk_put(pages->packs, pages->chunk);
	}
	pages->chunk = NULL;
}

/* Get space for a new page in the chunk, or in a new chunk.  Returns 0 or -ENOMEM. */
static int need_page(struct record_pages *pages)
{
	if (pages->page)
		end_page(pages);
	if (pages->chunk && pages->chunk->bytes + pages->page_bytes > RECORD_CHUNK_BYTES)
		record_pages_flush(pages);
	if (!pages->chunk)
		pages->chunk = record_chunk_new(pages->packs);
	return pages->chunk ? 0 : -ENOMEM;
}

int record_pages_add_page(struct record_pages *pages, const void *data, uint32_t nr)
{
	if (need_page(pages))
		return -ENOMEM;
	memcpy(pages->chunk->data + pages->chunk->bytes, data, pages->page_bytes);
	pages->chunk->bytes += pages->page_bytes;
	pages->chunk->records += nr;
	return 0;
}

/* Begin a page for a record of @need bytes.  If records were lost before it, reserve space
 * for their number at the end of the page, unless the record itself needs this space. */
static int begin_page(struct record_pages *pages, uint64_t time, uint32_t need, uint64_t lost)
{
	uint32_t room = pages->page_bytes - ABI_PAGE_HEADER;

	if (need > room)
		return -EMSGSIZE;
	if (need_page(pages))
		return -ENOMEM;
	pages->page = pages->chunk->data + pages->chunk->bytes;
	memcpy(pages->page, &time, sizeof(time));
	pages->time = time;
	pages->used = 0;
	pages->page_lost = lost;
	pages->limit = lost && room - need >= LOST_BYTES ? room - LOST_BYTES : room;
	return 0;
}

/* Return true if the record can be appended to the page: there is space for it, and it is not
 * older than the last record of the page. */
static bool fits(const struct record_pages *pages, uint64_t time, uint32_t need)
{
	uint64_t delta = time - pages->time;

	if (!pages->page || time < pages->time || delta >> (ABI_REC_DELTA_BITS + 32))
		return false;
	if (delta >> ABI_REC_DELTA_BITS)
		need += EXTEND_BYTES;
	return need <= pages->limit - pages->used;
}

int record_pages_add(struct record_pages *pages, uint64_t time, const void *data, uint32_t bytes,
		     uint64_t lost)
{
	const uint32_t delta_max = (1u << ABI_REC_DELTA_BITS) - 1;
	bool is_small = bytes && bytes <= SMALL_MAX;
	uint32_t need = bytes + (is_small ? 4 : 8);
	uint64_t delta;

	if (lost || !fits(pages, time, need)) {
		int r = begin_page(pages, time, need, lost);

		if (r)
			return r;
	}
	delta = time - pages->time;
	pages->time = time;
	if (delta > delta_max) {
		put_word(pages, ABI_REC_TIME_EXTEND |
				(uint32_t)(delta & delta_max) << ABI_REC_TYPE_BITS);
		put_word(pages, (uint32_t)(delta >> ABI_REC_DELTA_BITS));
		delta = 0;
	}
	put_word(pages, (uint32_t)delta << ABI_REC_TYPE_BITS |
			(is_small ? bytes / 4 : 0));
	if (!is_small)
		put_word(pages, bytes + 4);
	memcpy(pages->page + ABI_PAGE_HEADER + pages->used, data, bytes);
	pages->used += bytes;
	pages->chunk->records++;
	return 0;
}
