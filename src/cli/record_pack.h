/* SPDX-License-Identifier: MIT */
/*
 * Compress chunks of pages in threads, and append them to temporary files.
 *
 *	reader:		chunk = record_chunk_new(); fill it; record_chunk_put()
 *	packers:	take the oldest chunk of the queue, compress it, append it to its file
 *
 * Packers are threads of this process.  Chunks of one file are appended in the order in which
 * they were put, because a packer waits for its turn.  Memory for chunks is allocated when it
 * is needed, up to a limit, and reused.
 */
#ifndef ULF_CLI_RECORD_PACK_H
#define ULF_CLI_RECORD_PACK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include "arch/arch.h"
#include "datfile/dat_write.h"

#define RECORD_CHUNK_BYTES	(256u << 10)

struct record_packs;

/* The temporary file with the compressed pages of one CPU, or a connection through which
 * pages are sent uncompressed.  The file has no name, so a recorder that is killed leaves no
 * file.  The lock of the packers protects all members except @nr_put. */
struct record_temp {
	struct datfile_pages pages;
	uint64_t nr_put;		/* number of chunks of this file that were put into
					 * the queue; only the reader thread uses it */
	uint64_t nr_done;		/* number of chunks of this file that were written, or
					 * dropped after an error */
	uint64_t saved;			/* number of records in the temporary file */
	bool is_sent;			/* true: the pages are sent, and pages.fd is a socket */
	/* The packer that writes the first chunk opens the file, after a call of @prepare. */
	char *path;
	int (*prepare)(void *arg);	/* returns 0 or -errno; NULL: nothing to prepare */
	void *arg;
};

struct record_chunk {
	STAILQ_ENTRY(record_chunk) link;
	struct record_temp *temp;
	uint64_t number;		/* number of the chunk among those of its file, which
					 * gives its turn */
	uint32_t bytes;			/* bytes of pages in @data */
	uint32_t records;		/* number of records in the pages at @data */
	_Alignas(ARCH_PAGE_BYTES) uint8_t data[RECORD_CHUNK_BYTES];
};

/*
 * Start the packers.  @limit: maximum size of all chunks in memory, bytes; at the limit
 * record_chunk_new() waits.  Returns 0 or -errno.
 */
int record_packs_start(uint64_t limit, struct record_packs **ret_packs);
/* Wait until all chunks in the queue are written, end the packers and free @packs.  NULL is
 * allowed. */
void record_packs_stop(struct record_packs *packs);
/* Return an empty chunk.  Sleeps until the limit allows another chunk.  Returns NULL if
 * memory cannot be allocated. */
struct record_chunk *record_chunk_new(struct record_packs *packs);
/* Put a chunk into the queue of the packers.  The caller has filled in all members from @temp
 * on. */
void record_chunk_put(struct record_packs *packs, struct record_chunk *chunk);
/*
 * Called once, when the program has ended and the user waits for the result: replace the packers
 * by one for each CPU, without a higher nice value.
 */
void record_packs_hurry(struct record_packs *packs);
/* Wait until all chunks of @temp are written. */
void record_packs_flush(struct record_packs *packs, const struct record_temp *temp);
/*
 * Initialise the temporary file of a CPU.  A packer creates it, in the directory of @path, when
 * the first chunk is written, because the reader must not wait for a file system.
 * @prepare, @arg: see struct record_temp.  Returns 0 or -errno.
 */
int record_temp_init(struct record_temp *temp, const char *path, uint32_t cpu,
		     int (*prepare)(void *arg), void *arg);
/* Close the file.  All chunks must be written. */
void record_temp_close(struct record_temp *temp);
/* Return an estimate of the total size of all files so far, including files that are closed,
 * when the waiting chunks are written.  *@ret_error: -errno of the first write that has
 * failed, or 0; after an error no more chunks are written. */
uint64_t record_packs_bytes(struct record_packs *packs, int *ret_error);

#endif
