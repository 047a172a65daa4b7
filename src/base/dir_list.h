/* SPDX-License-Identifier: MIT */
/* All directories that may be ulf directories: others of this user, and those of all users.
 * For commands; the runtime needs one directory only (dir.h). */
#ifndef BASE_DIR_LIST_H
#define BASE_DIR_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define DIR_USERS_MAX	4096u

/*
 * dir_each_other - the other directories of this user that have roots
 * @dir: the path that dir_find() has returned
 *
 * A second directory exists if /run/ulf was made, or /dev/shm was mounted again, after a
 * program had started, or if another user makes and removes names while programs start.
 * Nothing is emitted if $ULF_DIR is set.
 */
void dir_each_other(const char *dir, void (*emit)(void *arg, const char *path), void *arg);

/*
 * dir_users - the users who have a directory, in the order of their ids
 * @ret_uids: at least DIR_USERS_MAX
 * @ret_is_cut: there are more users than that, or too many names to look at all of them
 *
 * Reads names and owners in directories of the system, and nothing that belongs to a user.
 * Returns their number.
 */
size_t dir_users(unsigned int *ret_uids, bool *ret_is_cut);

#endif
