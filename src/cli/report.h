/* SPDX-License-Identifier: MIT */
/*
 * Print the records of trace.dat files as lines of `trace`.  The code is the printer of the
 * server.  It gets names from the files.
 */
#ifndef ULF_CLI_REPORT_H
#define ULF_CLI_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "datfile/dat_select.h"

struct text;

/* Settings: which records are printed, and in which form. */
struct report_settings {
	struct dat_selection selection;
	bool is_graph;			/* true: print functions in the form of the graph
					 * tracer, no matter which tracer was used */
	bool is_terminal;		/* true: the output is a terminal, so newlines in
					 * strings are escaped */
};

struct report;

/*
 * report_new - begin to print the records of @nr files
 *
 * The files must stay open.  Prints errors.  Returns 0 or -errno.
 */
int report_new(struct datfile *const *files, uint32_t nr, const struct report_settings *settings,
	       struct report **ret_report);
/* Free @report.  NULL is allowed. */
void report_free(struct report *report);
/* Append the header lines that `trace` has. */
void report_header(struct report *report, struct text *out);
/*
 * Append the next line, or the lines of the next record.  Returns 1; 0 after the last record;
 * or -errno, after which no record follows.
 */
int report_next(struct report *report, struct text *out);

/* The number of records of one event in a file. */
struct report_count {
	const struct datfile_event *event;	/* the event whose records are counted; NULL:
						 * all events that the file does not describe */
	uint64_t records, bytes;
};
/* The numbers of a file. */
struct report_stats {
	struct report_count *counts;	/* array of @nr counts, sorted by the name of the
					 * event */
	uint32_t nr;
	uint64_t records, bytes, lost;
	uint64_t first, last;		/* times of the first and the last record of the file */
};
/* Count the records of a file.  Returns 0 or -errno.  The caller frees ret_stats->counts. */
int report_stats(struct datfile *file, struct report_stats *ret_stats);

#endif
