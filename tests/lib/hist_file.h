/* SPDX-License-Identifier: MIT */
/* Read the file `hist` of an event through the server, and check what is always true. */
#ifndef ULF_TESTS_HIST_FILE_H
#define ULF_TESTS_HIST_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HIST_FILE_TABLES	16	/* maximum number of histograms of an event */

/* One histogram. */
struct hist_file_table {
	const char *trigger;		/* the line of the trigger */
	char **lines;			/* one for each entry, in the order of the file; the
					 * lines that onmax() adds follow in the same string */
	size_t nr_lines;
	uint64_t hits, entries, dropped;	/* as in the kernel, @hits does not include
						 * @dropped */
};

struct hist_file {
	char *text;
	struct hist_file_table tables[HIST_FILE_TABLES];
	size_t nr_tables;
};

/*
 * Read `hist` at @path, which begins with the name of the root.  Fails the test if a histogram
 * is not well formed, or if its Entries or its Hits are not those of its lines.
 * Returns false if `ulf cat` fails, for example because the server is killed.
 */
bool hist_file_try(struct hist_file *file, const char *path);
/* Do as hist_file_try(), but fail the test instead of returning false. */
void hist_file_read(struct hist_file *file, const char *path);
void hist_file_free(struct hist_file *file);
/* Returns the number after "@name:" in the line @line; fails the test if there is none. */
uint64_t hist_file_number(const char *line, const char *name);
/* Returns how often the event was hit: counted and dropped hits. */
static inline uint64_t hist_file_hits(const struct hist_file_table *table)
{
	return table->hits + table->dropped;
}

#endif
