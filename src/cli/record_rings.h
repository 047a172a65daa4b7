/* SPDX-License-Identifier: MIT */
/*
 * Read the rings of one buffer of a root while the program writes them, and pack the records into
 * pages of the recorder's own.
 *
 * The reader maps the root's file and stores nothing in it, so neither the program nor the
 * server notices the reader.  The data in the file may be hostile: offsets are copied and
 * checked, and rings are read by ring cursors (ring/ring.h).  One thread calls these
 * functions.
 */
#ifndef ULF_CLI_RECORD_RINGS_H
#define ULF_CLI_RECORD_RINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/record_pack.h"

struct record_net;
struct record_rings;

/* Where the records of a root go. */
struct record_output {
	const char *path;		/* temporary files are made next to this path */
	struct record_net *net;		/* the listener to which pages are sent instead; NULL:
					 * none */
	struct record_packs *packs;
	int (*begin)(void *arg);	/* called by record_rings_read() before it stores the
					 * first record; returns 0 or -errno */
	int (*prepare)(void *arg);	/* called by packers before they create a temporary
					 * file, maybe by several at the same time; returns 0 or
					 * -errno */
	void *arg;			/* argument of @begin and @prepare */
};

/* The numbers of records of a recording.  When the reader has ended and all chunks are
 * written, written = saved + lost. */
struct record_count {
	uint64_t written;		/* number of records that the program has written, or
					 * tried to write, to rings */
	uint64_t read;			/* number of records that the reader has read */
	uint64_t lost;			/* number of records that the reader has missed; pages
					 * report the numbers of these records */
};

/*
 * record_rings_open - open the buffer of an instance of the root @roots/@name
 * @instance: name of the instance; "" for the top instance
 * @is_archive: true: read the records that `trace` would print now, also those in rings from
 *	before a change of size; false: read each ring from its first record on, also the
 *	records that other readers have consumed
 * @output: is copied; @output->path must stay valid
 *
 * Returns 0; -ENOENT if there is no such root or instance; -EBADMSG, -EPROTONOSUPPORT for a
 * memory that cannot be used; or another -errno.
 */
int record_rings_open(int roots, const char *name, const char *instance, bool is_archive,
		      const struct record_output *output, struct record_rings **ret_rings);
/* Close the rings.  The caller must have waited for their chunks (record_packs_flush()). */
void record_rings_close(struct record_rings *rings);
/* Return the run id of the root; 0 if its program was not started by a command of ulf. */
uint32_t record_rings_run_id(const struct record_rings *rings);
/* Return true if all processes of the root have ended. */
bool record_rings_is_dead(const struct record_rings *rings);
/* Return true if the buffer has a ring, or had one. */
bool record_rings_has_any(const struct record_rings *rings);
/*
 * Read the records that are in the rings now.  @is_end: true if this is the last call: then
 * also read the records that would otherwise wait for older records of another ring, and put
 * all chunks into the queue.  Returns the number of bytes that were read, or -errno.
 */
int64_t record_rings_read(struct record_rings *rings, bool is_end);
/* Return the numbers of records so far.  The numbers are exact after the call of
 * record_rings_read() with @is_end. */
struct record_count record_rings_count(const struct record_rings *rings);

/*
 * Take over the temporary files; records that are read later go to new files.  The caller
 * must wait for the chunks of the files, and must close and free them.  *@ret_temps: an array
 * of *@ret_nr pointers by CPU, which the caller frees; NULL: the CPU has no records.
 * *@ret_page_bytes: size of a page in the files.  Returns 0 or -ENOMEM.
 */
int record_rings_take(struct record_rings *rings, struct record_temp ***ret_temps,
		      uint32_t *ret_nr, uint32_t *ret_page_bytes);

#endif
