/* SPDX-License-Identifier: MIT */
/*
 * Record roots: read their rings, and write trace.dat files.
 *
 *	reader thread finds roots, reads their rings and puts chunks into the queue, until the end
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
	const char *path;		/* path of the trace.dat to write, or HOST:PORT of a
					 * listener */
	bool is_network;		/* true: @path is the address HOST:PORT of a listener */
	uint64_t max_bytes;		/* limit of the size of the records in the files,
					 * bytes; 0: there is no limit */
	uint32_t keep;			/* number of parts to keep: at @max_bytes a new part
					 * begins; 0: at @max_bytes the recording ends */
	uint32_t run_id;		/* run id of the run whose roots are recorded; 0: the
					 * roots in @roots are recorded */
	bool is_quiet;			/* true: record_stop() prints errors only */
	bool is_archive;		/* true: write only the records that the roots in
					 * @roots have recorded until now */
	char *const *roots;		/* array of @nr_roots names: full names of the roots
					 * to record */
	uint32_t nr_roots;
	const char *instance;		/* name of the instance that is recorded in each root,
					 * "" for the top instance */
};

/* The state of a recording so far. */
struct record_state {
	uint64_t records, lost;		/* number of records that were read so far; number of
					 * records that were lost */
	uint64_t bytes;			/* number of bytes in files */
	uint32_t nr_roots;		/* number of roots that have rings */
	bool has_ended;			/* true: the recording has ended by itself, because the
					 * root is dead, the limit is reached, the disk is full,
					 * or there was another error */
};

/* Start to record.  Prints errors.  Returns 0 or -errno. */
int record_start(const struct record_settings *settings, struct record_session **ret_session);
/* Get the numbers so far. */
void record_get_state(struct record_session *session, struct record_state *ret_state);
/* Make the trace.dat files of roots whose recordings have ended, and of finished parts.  The
 * caller must call this function regularly. */
void record_finish_some(struct record_session *session, struct conn *conn);
/*
 * End the recording: read the records that are left in the rings, and make all trace.dat
 * files.  Prints a line for each file, and errors.  @ret_nr: number of files.  Returns 0, or
 * -errno if a file is incomplete.
 */
int record_stop(struct record_session *session, struct conn *conn, uint32_t *ret_nr);
/* Free @session after record_stop(). */
void record_free(struct record_session *session);

#endif
