/* SPDX-License-Identifier: MIT */
/*
 * Name the files of a recording; see record_results.h.  The first root with records gets FILE when
 * it begins to record, because nobody knows yet which one will record most.  Often this root is a
 * wrapper such as timeout, of which some calls are recorded before it starts the program.  So FILE
 * is given away at the end.
 */
#include "cli/record_results.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/terminal.h"

void record_result_print(const struct record_result *result)
{
	if (result->path)
		terminal_line(stderr, "%s: %" PRIu64 " records of %s in %" PRIu64 " KiB, %" PRIu64
			      " lost", result->path, result->saved, result->root,
			      (result->bytes + 1023) / 1024, result->lost);
}

static uint64_t nr_records(const struct record_result *result)
{
	return result->saved + result->lost;
}

/* Return the result whose path is @file, or NULL. */
static struct record_result *find_first(const char *file, struct record_result *results, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (results[i].path && !strcmp(results[i].path, file))
			return &results[i];
	return NULL;
}

/* Return the result with most records; @first if no other result has more. */
static struct record_result *find_most(struct record_result *first, struct record_result *results,
				       size_t nr)
{
	struct record_result *most = first;

	for (size_t i = 0; i < nr; i++)
		if (results[i].path && nr_records(&results[i]) > nr_records(most))
			most = &results[i];
	return most;
}

/* Return true if @file is a regular file.  A file of another kind, such as /dev/null or a symbolic
 * link, must not be renamed. */
static bool is_regular(const char *file)
{
	struct stat st;

	return !lstat(file, &st) && S_ISREG(st.st_mode);
}

/* Rename the file of @first to @path, and that of @most to the old path of @first.  Returns 0; or
 * -errno, and then no file was renamed. */
static int swap_files(const struct record_result *first, const struct record_result *most,
		      const char *path)
{
	int r;

	if (rename(first->path, path))
		return -errno;
	if (!rename(most->path, first->path))
		return 0;
	r = -errno;
	rename(path, first->path);
	return r;
}

void record_results_name(const char *file, struct record_result *results, size_t nr)
{
	struct record_result *first = find_first(file, results, nr);
	struct record_result *most = first ? find_most(first, results, nr) : NULL;
	char *path;
	int r;

	if (most == first || !is_regular(file))
		return;
	if (asprintf(&path, "%s.%s", file, first->root) < 0)
		return;
	r = swap_files(first, most, path);
	if (r) {
		cli_error("%s cannot be renamed to %s: %s", most->path, file, strerror(-r));
		free(path);
		return;
	}
	free(most->path);
	most->path = first->path;
	first->path = path;
}
