/* SPDX-License-Identifier: MIT */
/*
 * Print the records of trace.dat files as lines of `trace`.  The server's printer does this,
 * with names from the files.
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
					 * tracer, whichever tracer was used */
	bool is_terminal;		/* true: the lines are for a terminal, so escape
					 * newlines in strings */
};

struct report;

/*
 * report_new - begin to print the records of @nr files, which must stay open
 *
 * Prints errors.  Returns 0 or -errno.
 */
int report_new(struct datfile *const *files, uint32_t nr, const struct report_settings *settings,
	       struct report **ret_report);
/* Free @report.  NULL is allowed. */
void report_free(struct report *report);
/* Append the header of `trace`. */
void report_header(struct report *report, struct text *out);
/*
 * Append the next line, or the lines of the next record.  Returns 1; 0 at the end; or -errno, after
 * which there is no further record.
 */
int report_next(struct report *report, struct text *out);

/* The number of records of one event. */
struct report_count {
	const struct datfile_event *event;	/* the event that is counted; NULL: all records
						 * whose event is not known */
	uint64_t records, bytes;
};
/* The numbers of a file. */
struct report_stats {
	struct report_count *counts;	/* array of @nr elements, sorted by the name of the event */
	uint32_t nr;
	uint64_t records, bytes, lost;
	uint64_t first, last;		/* times of the first and the last record */
};
/* Count the records of a file.  Returns 0 or -errno.  The caller frees ret_stats->counts. */
int report_stats(struct datfile *file, struct report_stats *ret_stats);

#endif
