/* SPDX-License-Identifier: MIT */
/*
 * Lists of ulf directories: all directories of this user, and all users that may have a
 * ulf directory.  Commands use these lists; the runtime needs only one directory
 * (dir.h).
 */
#ifndef BASE_DIR_LIST_H
#define BASE_DIR_LIST_H

#include <stdbool.h>
#include <stddef.h>

#define DIR_USERS_MAX	4096u		/* maximum number of users that dir_users()
					 * returns */

/*
 * dir_each_other - call @emit for each ulf directory of this user that has roots,
 * except @dir
 * @dir: the path that dir_find() has returned
 *
 * There can be a second directory for two reasons.  After a program had started,
 * /run/ulf was made or /dev/shm was mounted again.  Or another user has made and
 * removed names while programs started.  Does nothing if $ULF_DIR is set.
 */
void dir_each_other(const char *dir, void (*emit)(void *arg, const char *path), void *arg);

/*
 * dir_users - get the users that may have a ulf directory, sorted by user id
 *
 * They are the users with a directory in a struct dir_place and the users with a
 * /run/user/UID.
 * @ret_uids: array of at least DIR_USERS_MAX elements
 * @ret_is_cut: true if the list is incomplete, because there are more than DIR_USERS_MAX
 * users, or too many names to check all of them
 *
 * The function reads names and owners in directories of the system.  It opens nothing
 * that belongs to a user.
 * Returns the number of users.
 */
size_t dir_users(unsigned int *ret_uids, bool *ret_is_cut);

#endif
