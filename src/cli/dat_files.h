/* SPDX-License-Identifier: MIT */
/* The input files of a command, and the parser for times in its options. */
#ifndef ULF_CLI_DAT_FILES_H
#define ULF_CLI_DAT_FILES_H

#include <stdbool.h>
#include <stdint.h>

#include "datfile/dat_select.h"

#define DAT_FILES_MAX	256

struct dat_files {
	struct datfile *files[DAT_FILES_MAX];
	uint32_t nr;
};

/* Open the files that the command line names; trace.dat if it names none.  Prints errors.
 * Returns 0 or -errno.  The caller must call dat_files_close() in any case. */
int dat_files_open(struct dat_files *files, int nr_paths, char **paths);
/* Close the files. */
void dat_files_close(struct dat_files *files);

/* Parse a time in seconds, in the form that lines of a trace have.  Prints errors.  Returns 0
 * or -EINVAL. */
int dat_files_time(const char *option, const char *value, uint64_t *ret_time);

#endif
