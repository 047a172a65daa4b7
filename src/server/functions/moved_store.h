/* SPDX-License-Identifier: MIT */
/*
 * The files from which processes read tables of moved functions: DIR/moved/ID
 * (abi/moved_file.h).
 *
 * A file is written under another name and then renamed, and is never changed.  Processes read
 * it when they apply the block of functions that names it, and keep what they need.  So a file
 * may be removed at any time after that; the server writes it again before it publishes a
 * block that names it.
 *
 * Only the server's thread calls these functions.
 */
#ifndef ULF_SERVER_MOVED_STORE_H
#define ULF_SERVER_MOVED_STORE_H

struct function_moved;
struct root;

/*
 * moved_store - write the file for @moved, unless it exists already
 *
 * If the total size of all files is then more than 256 MiB, removes the oldest ones that no
 * root uses.  Returns 0 or -errno.
 */
int moved_store(const struct root *root, struct function_moved *moved);

#endif
