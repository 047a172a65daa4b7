/* SPDX-License-Identifier: MIT */
/* Write records of files in the format of another program to a file. */
#ifndef ULF_CLI_DAT_OUTPUT_H
#define ULF_CLI_DAT_OUTPUT_H

#include "export/export.h"

struct dat_files;

/*
 * dat_output - write the records of the files that @settings select
 * @path: the file or directory to write; "-": stdout; NULL: the name of the first file, with the
 *	suffix of the format
 *
 * A regular file or directory gets its name when it is complete.  An output directory must
 * not exist before. Prints the result and errors.  Returns the exit status.
 */
int dat_output(const struct dat_files *files, const struct export_format *format,
	       const struct export_settings *settings, const char *path);

#endif
