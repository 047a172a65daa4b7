/* SPDX-License-Identifier: MIT */
/*
 * Finish a trace.dat.  Add everything to the records of a root that only the server knows
 * about them: formats of events, functions, names of threads, formats of trace_printk().
 */
#ifndef ULF_CLI_RECORD_FILE_H
#define ULF_CLI_RECORD_FILE_H

#include <stdint.h>

#include "cli/conn.h"
#include "datfile/dat_write.h"

/* The records of a root for a trace.dat, or those of a part of the recording's time. */
struct record_part {
	const char *root;		/* full name of the root */
	const char *instance;		/* name of the recorded instance; "" for the top
					 * instance */
	uint32_t page_bytes;
	struct datfile_pages *pages;	/* array with the pages of each of the nr CPUs; NULL:
					 * the records are not written */
	uint32_t nr;
	uint64_t written, saved, lost;	/* numbers of records */
};

/*
 * Write the records and all other sections to @writer, and finish the file.  If no server can
 * be reached, prints an error, and writes the records without the data that only the server
 * knows.  Returns 0 or the first -errno.
 */
int record_file_finish(struct conn *conn, struct datfile_writer *writer,
		       const struct record_part *part);

#endif
