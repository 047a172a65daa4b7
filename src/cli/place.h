/* SPDX-License-Identifier: MIT */
/* Mount points: which is meant, and what is wrong with it. */
#ifndef ULF_CLI_PLACE_H
#define ULF_CLI_PLACE_H

#include "base/fusemount.h"

/*
 * place_find - the mount point that is meant, as an absolute path without
 * symbolic links
 * @dir: the ulf directory
 * @word: what the user said, or NULL for the default
 * @ret_path: free() it
 *
 * It may be a dead mount, which cannot be looked at itself.  Says what is
 * wrong.
 */
int place_find(const char *dir, const char *word, char **ret_path);

/* Say why fusemount_open() failed there, and the remedy. */
void place_say_error(const char *path, int error, enum fusemount_step step);

#endif
