/* SPDX-License-Identifier: MIT */
/*
 * The directory in which analyses of files are kept for later servers:
 * $XDG_CACHE_HOME/ulf/moved, or $HOME/.cache/ulf/moved (docs/design/moving.md, "Cache").
 *
 * The name of a file has all numbers that identify the file that was analysed.  A parser reads and
 * writes what is in the file; this code opens and names it.  A directory that cannot be used is
 * no error: files are analysed each time.
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

/* The files for one analysis. */
struct moved_cache {
	char name[MOVED_CACHE_NAME];	/* name of the file that is kept; empty: none */
	char new_name[MOVED_CACHE_NAME];	/* name of the file that the parser writes;
						 * empty: none */
};

/*
 * moved_cache_open - open the files for an analysis
 * @file: which file is analysed
 * @want: gets the descriptors, which parse_start() closes
 *
 * Reports in error_log of @root, once, that the directory cannot be used.
 */
void moved_cache_open(struct root *root, const struct abi_moved_file *file,
		      struct moved_cache *cache, struct parse_want *want);
/*
 * moved_cache_close - keep what the parser has written, or remove it
 * @used: what the parser has done: PARSE_CACHE_OLD, PARSE_CACHE_NEW
 *
 * Marks a file that was used, so that it is removed later than others.  May be called twice.
 */
void moved_cache_close(struct moved_cache *cache, uint32_t used);

#endif
