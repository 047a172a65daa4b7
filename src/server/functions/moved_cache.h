/* SPDX-License-Identifier: MIT */
/*
 * The directory in which analyses of files are kept for later servers:
 * $XDG_CACHE_HOME/ulf/moved, or $HOME/.cache/ulf/moved (docs/design/moving.md, "Cache").
 *
 * The name of a file contains all numbers that identify the file that was analysed.  A parser
 * reads and writes the contents; this code only opens and renames files.  If the directory
 * cannot be used, programs are analysed each time.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_MOVED_CACHE_H
#define ULF_SERVER_MOVED_CACHE_H

#include <stdint.h>

struct abi_moved_file;
struct parse_want;
struct root;

#define MOVED_CACHE_NAME	128u

/* The files of the cache that belong to one analysis. */
struct moved_cache {
	char name[MOVED_CACHE_NAME];	/* name of the cache file with the result of an
					 * earlier analysis, or of this one; "" if there
					 * is none */
	char new_name[MOVED_CACHE_NAME];	/* name of the cache file that the parser
						 * writes; "" if there is none */
};

/*
 * moved_cache_open - open the files for an analysis
 * @file: identifies the file that will be analysed
 * @want: the order for the parser; its members for the cache are set to descriptors,
 *   which parse_start() closes
 *
 * If the directory cannot be used, reports this once in error_log of @root.
 */
void moved_cache_open(struct root *root, const struct abi_moved_file *file,
		      struct moved_cache *cache, struct parse_want *want);
/*
 * moved_cache_close - keep the file that the parser has written, or remove it
 * @used: what the parser has done with the files: PARSE_CACHE_OLD, PARSE_CACHE_NEW
 *
 * Updates the time of a file that was used, so that it is removed later than others.  May be
 * called twice.
 */
void moved_cache_close(struct moved_cache *cache, uint32_t used);

#endif
