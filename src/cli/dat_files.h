/* SPDX-License-Identifier: MIT */
/* The files that a command reads, and the file that it writes from them. */
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

/* Open the files of the command line, trace.dat if it has none.  Prints errors.  Returns 0 or
 * -errno; dat_files_close() must be called in any case. */
int dat_files_open(struct dat_files *files, int nr_paths, char **paths);
/* Close the files. */
void dat_files_close(struct dat_files *files);

/* Parse a time in seconds, as the lines of a trace have it.  Prints errors.  Returns 0 or
 * -EINVAL. */
int dat_files_time(const char *option, const char *value, uint64_t *ret_time);

#endif
