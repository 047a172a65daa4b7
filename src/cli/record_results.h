/* SPDX-License-Identifier: MIT */
/* The trace.dat files that a recording has made: their names, and a line for each. */
#ifndef ULF_CLI_RECORD_RESULTS_H
#define ULF_CLI_RECORD_RESULTS_H

#include <stddef.h>
#include <stdint.h>

/* A complete trace.dat of a root. */
struct record_result {
	const char *root;		/* full name of the root */
	char *path;			/* path of the file; NULL: there was no memory */
	uint64_t saved, lost;		/* numbers of saved and of lost records */
	uint64_t bytes;			/* size of the records in the file */
};

/*
 * record_results_name - give the path @file to the result with most records, lost ones included
 * @results: array of @nr results, the path of one of which is @file
 *
 * The result that had @file gets the path FILE.ROOT.  Files and members @path are changed; paths
 * were allocated with malloc().  If a file cannot be renamed, prints an error, and all files keep
 * their names.
 */
void record_results_name(const char *file, struct record_result *results, size_t nr);
/* Print the line of @result to stderr. */
void record_result_print(const struct record_result *result);

#endif
