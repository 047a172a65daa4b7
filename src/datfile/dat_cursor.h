/* SPDX-License-Identifier: MIT */
/*
 * Walk the records of one CPU of a trace.dat: chunk by chunk, page by page.
 *
 * A cursor is one record ahead of its reader, because a printer needs the next record of the
 * CPU.  It has two blocks of pages, so that the current record stays in memory when the next
 * one is in another chunk:
 *
 *	block[0]  page page page(record)	block[1]  page(next) page ...
 */
#ifndef ULF_DAT_CURSOR_H
#define ULF_DAT_CURSOR_H

#include "datfile/dat_impl.h"

struct dat_block {
	uint8_t *data;
	uint32_t bytes, room;		/* @bytes: number of bytes of data; @room: size of the
					 * memory at @data */
};

/* A record of a trace.dat, which points into a page in memory. */
struct dat_entry {
	uint64_t time, lost;
	const uint8_t *data;
	uint32_t bytes;
};

struct dat_cursor {
	const struct datfile *file;
	const struct dat_buffer *buffer;
	uint32_t cpu;
	uint32_t file_number;		/* index of the cursor's file among the files of the
					 * stream */
	uint64_t off, end;		/* range of the file that the cursor has not read yet */
	uint32_t chunks;		/* number of compressed chunks that the cursor has not
					 * read yet */
	struct dat_block block[2];
	uint32_t current;		/* index of the block that contains @page */
	uint8_t *packed;		/* memory for a chunk before it is decompressed */
	uint32_t packed_room;
	uint32_t page;			/* offset in the block of the page that comes after
					 * the current page */
	uint32_t at, page_end;		/* range of the block's current page that has not been
					 * parsed yet */
	uint64_t time;			/* time of the last record that was parsed */
	uint64_t lost;			/* number of records of the CPU that were lost before
					 * the next record */
	struct dat_entry entry, next;	/* the current record, and the record after it */
	bool has_entry, has_next;
	int error;			/* -errno of the error that has ended the cursor; 0:
					 * no error */
};

/* Begin to walk the records of @cpu, and go to the first record.  Returns 0 or -errno; in both
 * cases the caller must call dat_cursor_done().  @cursor->has_entry is false if the CPU has no
 * records. */
int dat_cursor_init(struct dat_cursor *cursor, const struct datfile *file,
		    const struct dat_buffer *buffer, const struct dat_cpu *cpu);
/* Free the memory of @cursor. */
void dat_cursor_done(struct dat_cursor *cursor);
/* Go to the next record.  @cursor->has_entry is false at the end; then @cursor->error is 0
 * after the last record, and -errno if the rest cannot be read. */
void dat_cursor_advance(struct dat_cursor *cursor);

#endif
