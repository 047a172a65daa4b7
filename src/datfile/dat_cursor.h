/* SPDX-License-Identifier: MIT */
/*
 * Walk the records of one CPU of a trace.dat: chunk by chunk, page by page.
 *
 * A cursor is one record ahead of its reader, because a printer needs the next record of the
 * CPU.  It has two blocks of pages, so that the current record stays valid when the next one
 * is in another chunk:
 *
 *	block[0]  page page page(record)	block[1]  page(next) page ...
 */
#ifndef ULF_DAT_CURSOR_H
#define ULF_DAT_CURSOR_H

#include "datfile/dat_impl.h"

struct dat_block {
	uint8_t *data;
	uint32_t bytes, room;		/* bytes of data, and of memory */
};

/* A record as it is in a page. */
struct dat_entry {
	uint64_t time, lost;
	const uint8_t *data;
	uint32_t bytes;
};

struct dat_cursor {
	const struct datfile *file;
	const struct dat_buffer *buffer;
	uint32_t cpu;
	uint32_t file_number;		/* number of the file in the stream */
	uint64_t off, end;		/* the part of the file that is not read yet */
	uint32_t chunks;		/* number of chunks that are not read yet */
	struct dat_block block[2];
	uint32_t current;		/* the block of the page */
	uint8_t *packed;		/* memory for a compressed chunk */
	uint32_t packed_room;
	uint32_t page;			/* offset of the page in the block; the next page
					 * follows if its data is parsed */
	uint32_t at, page_end;		/* the part of the block that is not parsed yet */
	uint64_t time;			/* time of the last record of the page */
	uint64_t lost;			/* number of records lost before the next record */
	struct dat_entry entry, next;	/* the current record, and the one after it */
	bool has_entry, has_next;
	int error;			/* 0, or the -errno that has ended the cursor */
};

/* Begin to walk the records of @cpu, and go to the first record.  Returns 0 or -errno; in both
 * cases the caller must call dat_cursor_done().  @cursor->has_entry is false if the CPU has no
 * records. */
int dat_cursor_init(struct dat_cursor *cursor, const struct datfile *file,
		    const struct dat_buffer *buffer, const struct dat_cpu *cpu);
void dat_cursor_done(struct dat_cursor *cursor);
/* Go to the next record.  @cursor->has_entry is false at the end; then @cursor->error says
 * whether it is the end of the records, or of what can be read. */
void dat_cursor_advance(struct dat_cursor *cursor);

#endif
