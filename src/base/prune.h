/* SPDX-License-Identifier: MIT */
/* Remove old files from a directory that only this program writes. */
#ifndef BASE_PRUNE_H
#define BASE_PRUNE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * prune_files - keep the files of a directory below a size
 * @dir: descriptor of the directory
 * @bytes_max: maximum size of all regular files together
 * @may_remove: returns false for a file that must stay; NULL: any file may be removed
 * @arg: an argument for @may_remove
 *
 * Removes files, the one with the oldest time of change (st_mtim) first, until the others have at
 * most @bytes_max bytes.  Looks at 4096 files at most.  Does nothing if there is no memory.
 */
void prune_files(int dir, uint64_t bytes_max,
		 bool (*may_remove)(const char *name, void *arg), void *arg);

#endif
