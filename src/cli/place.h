/* SPDX-License-Identifier: MIT */
/* Where `ulf mount` and `ulf umount` mount. */
#ifndef ULF_CLI_PLACE_H
#define ULF_CLI_PLACE_H

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

#endif
