/* SPDX-License-Identifier: MIT */
/*
 * Delete the files of a root that is removed.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_ROOT_DELETE_H
#define ULF_SERVER_ROOT_DELETE_H

#include <stdbool.h>

struct root;

/*
 * Delete the directory of @root, with the file `memory`.  @roots: descriptor of
 * DIR/roots.  Returns 0; -EBUSY if the file belongs to another root; or an error of the
 * file system.
 */
int root_delete_files(const struct root *root, int roots);
/*
 * Return true if a process has mapped the memory of @root.  @roots: descriptor of
 * DIR/roots.  For roots of another version, whose process slots the server cannot
 * read.
 */
bool root_is_mapped(const struct root *root, int roots);

#endif
