/* SPDX-License-Identifier: MIT */
/*
 * Pack records into pages of the ring buffer's layout (abi/ring.h), and pages into chunks.
 *
 * Records of one CPU come in order of time.  A record that is older than the one before it begins
 * a new page, whose time stamp is absolute.
 */
#ifndef ULF_CLI_RECORD_PAGE_H
#define ULF_CLI_RECORD_PAGE_H

#include <stdint.h>

#include "cli/record_pack.h"

/* The pages of one CPU.  The caller sets the first three members, and the others to 0. */
struct record_pages {
	struct record_packs *packs;
	struct record_temp *temp;	/* where chunks go; may change after
					 * record_pages_flush() */
	uint32_t page_bytes;
	struct record_chunk *chunk;	/* the chunk that is being filled, or NULL */
	uint8_t *page;			/* the page of the chunk that is being filled, or NULL */
	uint32_t used, limit;		/* bytes of data in the page; where data must end */
	uint64_t time;			/* time of the last record of the page */
	uint64_t page_lost;		/* number of records lost before the page */
};

/*
 * Append a record.  @bytes: a multiple of 4.  @lost: number of records that were lost before it.
 * Returns 0; -EMSGSIZE if it fits into no page; or -ENOMEM.
 */
int record_pages_add(struct record_pages *pages, uint64_t time, const void *data, uint32_t bytes,
		     uint64_t lost);
/* Append a whole page, @data, with @nr records, before which none was lost.  Returns 0 or
 * -ENOMEM. */
int record_pages_add_page(struct record_pages *pages, const void *data, uint32_t nr);
/* End the page and put the chunk.  @lost: number of records that were lost after the last one. */
void record_pages_flush(struct record_pages *pages);

#endif
