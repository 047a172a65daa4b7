/* SPDX-License-Identifier: MIT */
/*
 * Chunks of pages, on their way from the reader of the rings to temporary files.
 *
 *	reader:		chunk = record_chunk_new(); fill it; record_chunk_put()
 *	packers:	take the oldest chunk of the queue, compress it, append it to its file
 *
 * Packers are threads of this process.  Chunks of one file are appended in the order in which
 * they were put, because a packer waits for its turn.  Memory of chunks is taken as needed, up to
 * a limit, and used again.
 */
#ifndef ULF_CLI_RECORD_PACK_H
#define ULF_CLI_RECORD_PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "datfile/dat_write.h"

#define RECORD_CHUNK_BYTES	(256u << 10)

struct record_packs;

/* The compressed pages of one CPU.  The file has no name, so a recorder that is killed
 * leaves no file.  The lock of the packers protects all members but those of the reader. */
struct record_temp {
	struct datfile_pages pages;
	uint64_t nr_put;		/* number of chunks that were put; used by the reader */
	uint64_t nr_done;		/* number of chunks that were written or dropped */
	uint64_t saved;			/* number of records in @pages */
};

struct record_chunk {
	STAILQ_ENTRY(record_chunk) link;
	struct record_temp *temp;
	uint64_t number;		/* number of the chunk in @temp */
	uint32_t bytes;			/* bytes of pages in @data */
	uint32_t records;		/* number of records in @data */
	uint8_t data[RECORD_CHUNK_BYTES];
};

/*
 * Start the packers.  @limit: bytes that chunks may take; a chunk beyond the limit waits.
 * Returns 0 or -errno.
 */
int record_packs_start(uint64_t limit, struct record_packs **ret_packs);
/* Write all chunks that were put, end the packers and free @packs.  NULL is allowed. */
void record_packs_stop(struct record_packs *packs);
/* Return an empty chunk.  Sleeps while chunks take as much memory as the limit allows.  Returns
 * NULL if there is no memory at all. */
struct record_chunk *record_chunk_new(struct record_packs *packs);
/* Put a chunk, whose members from @temp on are filled in, into the queue. */
void record_chunk_put(struct record_packs *packs, struct record_chunk *chunk);
/* Wait until all chunks of @temp are written. */
void record_packs_flush(struct record_packs *packs, const struct record_temp *temp);
/* Create the file of a CPU next to the file @path.  Returns 0 or -errno. */
int record_temp_open(struct record_temp *temp, const char *path, uint32_t cpu);
/* Close the file.  All chunks must be written. */
void record_temp_close(struct record_temp *temp);
/* Return about how many bytes all files have had since the start when the chunks that wait are
 * written.  *@ret_error: 0, or the -errno of the first write that has failed; after an error no
 * chunk is written. */
uint64_t record_packs_bytes(struct record_packs *packs, int *ret_error);

#endif
