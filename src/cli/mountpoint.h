/* SPDX-License-Identifier: MIT */
/* Find a mount point, and explain why a mount failed. */
#ifndef ULF_CLI_MOUNTPOINT_H
#define ULF_CLI_MOUNTPOINT_H

#include "base/fusemount.h"

/*
 * mountpoint_find - get a mount point as an absolute path without symbolic links
 * @dir: the ulf directory
 * @word: the user's argument; NULL: the default, @dir/tracing, which is created
 * @ret_path: path of the mount point; the caller must free() it
 *
 * The mount point may be a dead mount.  Returns 0 or -errno, and prints errors.
 */
int mountpoint_find(const char *dir, const char *word, char **ret_path);

/* Print the reason why fusemount_open() failed on @path, and what the user can do. */
void mountpoint_report_error(const char *path, int error, enum fusemount_step step);

#endif
