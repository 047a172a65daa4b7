/* SPDX-License-Identifier: MIT */
/*
 * The files from which processes read tables of moved functions: DIR/moved/ID
 * (abi/moved_file.h).
 *
 * A file is written under another name and then renamed, and is never changed.
 * Processes read it when they apply the block of functions that names it, and keep
 * what they need.  After that the file may be removed at any time.  The server writes
 * the file again before it publishes a block that names it.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_MOVED_STORE_H
#define ULF_SERVER_MOVED_STORE_H

#include <stdbool.h>
#include <stdint.h>

struct abi_moved_file;
struct function_moved;
struct root;

/*
 * moved_store - write the file for @moved, unless it exists already
 *
 * If the total size of all files is then more than 256 MiB, removes the oldest ones that no
 * root uses.  Returns 0 or -errno.
 */
int moved_store(const struct root *root, struct function_moved *moved);
/*
 * moved_store_table - write a file as moved_store() does, for another table of the
 * file that @file identifies
 * @id: name of the file, a number
 * @is_stored: true if this server has written the file before; set to true on success
 */
int moved_store_table(const struct root *root, const struct abi_moved_file *file, uint64_t id,
		      const void *table, bool *is_stored);

#endif
