/* SPDX-License-Identifier: MIT */
/*
 * Read the rings of one buffer of a root while the program writes them, and pack the records into
 * pages of the recorder's own.
 *
 * The reader maps the root's file and stores nothing in it, so neither the program nor the server
 * notices the reader.  All that it reads is hostile: offsets are copied and checked, and rings are
 * read by ring cursors (ring/ring.h).  One thread calls these functions.
 */
#ifndef ULF_CLI_RECORD_RINGS_H
#define ULF_CLI_RECORD_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/record_pack.h"

struct record_rings;

/* The numbers of a recording.  written = saved + lost, when the reader has ended and all
 * chunks are written. */
struct record_count {
	uint64_t written;		/* number of records that were written to rings, or
					 * would have been */
	uint64_t read;			/* number of records that were read */
	uint64_t lost;			/* number of records that were lost between records that
					 * were read; pages report them */
};

/*
 * record_rings_open - open the buffer of an instance of the root @roots/@name
 * @instance: name of the instance; "" for the top instance
 * @is_archive: read what `trace` would print now, also in rings from before a change of size;
 *	else read each ring from its first record on, whatever other readers have consumed
 * @path: path of the result; temporary files are made next to it
 *
 * Returns 0; -ENOENT if there is no such root or instance; -EBADMSG, -EPROTONOSUPPORT for a memory
 * that cannot be used; or another -errno.
 */
int record_rings_open(int roots, const char *name, const char *instance, bool is_archive,
		      const char *path, struct record_packs *packs,
		      struct record_rings **ret_rings);
/* Close the rings.  Chunks must have been written (record_packs_flush()). */
void record_rings_close(struct record_rings *rings);
/* Return the number of the run that has started the root's program, 0 if there is none. */
uint32_t record_rings_run_id(const struct record_rings *rings);
/* Return true if no process of the root is left. */
bool record_rings_is_dead(const struct record_rings *rings);
/* Return true if the buffer has, or had, any ring. */
bool record_rings_has_any(const struct record_rings *rings);
/*
 * Read the records that are in the rings now.  @is_end: read also those that usually wait for
 * older records of another ring, and put all chunks.  Returns the number of bytes that were
 * read; or -errno if there is no memory, or no temporary file.
 */
int64_t record_rings_read(struct record_rings *rings, bool is_end);
/* Get the numbers.  Exact after the last record_rings_read() with @is_end. */
struct record_count record_rings_count(const struct record_rings *rings);

/*
 * Take the temporary files from the rings, which get new ones.  The caller must wait for their
 * chunks, and close and free them.  *@ret_temps: an array of *@ret_nr pointers by CPU, which the
 * caller frees; NULL: the CPU has no records.  *@ret_page_bytes: size of a page in them.
 * Returns 0 or -ENOMEM.
 */
int record_rings_take(struct record_rings *rings, struct record_temp ***ret_temps,
		      uint32_t *ret_nr, uint32_t *ret_page_bytes);

#endif
