/* SPDX-License-Identifier: MIT */
/*
 * A recording: the roots whose rings are read, and the files that are written.
 *
 *	reader thread		finds roots, reads their rings, puts chunks, until the end
 *	packers			compress chunks and append them to temporary files
 *	main thread		settings, signals, progress; asks the server for names; makes the
 *				result from temporary files when a root has ended
 *
 * The reader thread does not wait for the server, and continues if the server is killed.
 */
#ifndef ULF_CLI_RECORDER_H
#define ULF_CLI_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/conn.h"

struct record_session;

struct record_settings {
	const char *dir;		/* the ulf directory */
	const char *path;		/* path of the result, or HOST:PORT */
	bool is_network;		/* true: @path is the address of a listener */
	uint64_t max_bytes;		/* limit of the size of the records in the files, bytes;
					 * 0: none */
	uint32_t keep;			/* number of parts to keep: at the limit a new part
					 * begins; 0: the recording ends at the limit */
	uint32_t run_id;		/* run id: record all roots of this run; 0: record
					 * @roots */
	bool is_archive;		/* true: only write what @roots have recorded until now */
	char *const *roots;		/* full names of the roots, an array of @nr_roots */
	uint32_t nr_roots;
	const char *instance;		/* name of the instance of each root, "" for the top
					 * instance */
};

/* The state of a recording so far. */
struct record_state {
	uint64_t records, lost;		/* number of records that were read, and of those that
					 * were lost */
	uint64_t bytes;			/* number of bytes in files */
	uint32_t nr_roots;		/* number of roots with rings */
	bool has_ended;			/* true: the recording has ended by itself, because the
					 * root is dead, the limit is reached, the disk is full,
					 * or there was another error */
};

/* Start to record.  Prints errors.  Returns 0 or -errno. */
int record_start(const struct record_settings *settings, struct record_session **ret_session);
/* Get the numbers so far. */
void record_get_state(struct record_session *session, struct record_state *ret_state);
/* Make the results of roots that have ended, and of parts.  The caller must call this function
 * regularly. */
void record_finish_some(struct record_session *session, struct conn *conn);
/*
 * End the recording: read what is left in the rings, and make all results.  Prints a line for
 * each file, and errors.  @ret_nr: number of files.  Returns 0, or -errno if a file is
 * incomplete.
 */
int record_stop(struct record_session *session, struct conn *conn, uint32_t *ret_nr);
/* Free @session after record_stop(). */
void record_free(struct record_session *session);

#endif
