/* SPDX-License-Identifier: MIT */
/*
 * Pack records into pages of the ring buffer's layout (abi/ring.h), and pages into chunks.
 *
 * The records of one CPU are added in the order of their times.  A record that is older than
 * the previous record begins a new page, because each page has an absolute time stamp.
 */
#ifndef ULF_CLI_RECORD_PAGE_H
#define ULF_CLI_RECORD_PAGE_H

#include <stdint.h>

#include "cli/record_pack.h"

/* The pages of one CPU.  The caller sets the first three members, and zeroes the others. */
struct record_pages {
	struct record_packs *packs;
	struct record_temp *temp;	/* file to which chunks are appended; the caller may
					 * change it after record_pages_flush() */
	uint32_t page_bytes;
	struct record_chunk *chunk;	/* chunk that is being filled; NULL: there is none */
	uint8_t *page;			/* page of @chunk that is being filled; NULL: there is
					 * none */
	uint32_t used, limit;		/* @used: offset of the end of the data in the page;
					 * @limit: its maximum */
	uint64_t time;			/* time of the last record of the page */
	uint64_t page_lost;		/* number of records that were lost before the first
					 * record of @page */
};

/*
 * Append a record.  @bytes: size of the record, a multiple of 4.  @lost: number of records
 * that were lost before it.  Returns 0; -EMSGSIZE if the record does not fit into a page; or
 * -ENOMEM.
 */
int record_pages_add(struct record_pages *pages, uint64_t time, const void *data, uint32_t bytes,
		     uint64_t lost);
/* Append a copy of the whole page @data, which contains @nr records.  No record must have
 * been lost before the page.  Returns 0 or -ENOMEM. */
int record_pages_add_page(struct record_pages *pages, const void *data, uint32_t nr);
/* End the page, and put the chunk into the queue.  @lost: number of records that were lost
 * after the last record. */
void record_pages_flush(struct record_pages *pages);

#endif
