/* SPDX-License-Identifier: MIT */
/*
 * Write the records of trace.dat files in the formats of other programs.
 *
 *	const struct export_format *format = export_format_find("perfetto");
 *	struct export_settings settings = { .selection.until = UINT64_MAX };
 *
 *	r = export_files(files, nr, format, &settings, fd, &why);
 *
 * Each format has a row in the table in export.c, and a source file of its own.
 * docs/design/export.md describes how calls, threads and events look in each format.
 *
 * The records are read once and written while they are read.  The memory depends on the number of
 * threads, events, functions and CPUs, not on the number of records.
 */
#ifndef ULF_EXPORT_H
#define ULF_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "datfile/dat_select.h"

struct export_format;
struct text;

#define EXPORT_COUNTERS_MAX	64

struct export_settings {
	struct dat_selection selection;
	const char *counters[EXPORT_COUNTERS_MAX];	/* fields that become counters; each
							 * is written as [SYSTEM:]EVENT.FIELD */
	uint32_t nr_counters;
	void *arg;			/* argument for a format that is not in the table,
					 * such as that of `ulf view` */
};

/* Numbers for a report. */
struct export_totals {
	uint64_t records;		/* number of records that were selected */
	uint64_t calls;			/* number of function calls for which there is a
					 * start, an end, or both */
	uint64_t lost;			/* number of records that were lost, no matter whether
					 * they would have been selected */
};

/* Return the format with the name @name; NULL if there is none. */
const struct export_format *export_format_find(const char *name);
/* Return the format whose files have the suffix of @path; NULL if there is none. */
const struct export_format *export_format_of(const char *path);
/* Append the names of the formats, each with a blank before it. */
void export_formats_print(struct text *out);
/* Return the suffix of the format's files, without a dot. */
const char *export_format_suffix(const struct export_format *format);
/* Return true if the output of the format is a directory of files. */
bool export_format_is_directory(const struct export_format *format);

/*
 * export_files - write the selected records of @nr files to @fd
 * @fd: the output, which is written without seeks; or the descriptor of an empty directory, if
 *	export_format_is_directory()
 * @why: gets a text that explains the error, if the settings are wrong or the files lack data
 *	that the format needs
 * @ret_totals: set also if an error is returned
 *
 * Returns 0 or -errno.  -EBADMSG: a file is broken; the records before the broken part were
 * written.
 */
int export_files(struct datfile *const *files, uint32_t nr, const struct export_format *format,
		 const struct export_settings *settings, int fd, struct text *why,
		 struct export_totals *ret_totals);

#endif
