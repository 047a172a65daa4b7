/* SPDX-License-Identifier: MIT */
/*
 * The ulf directory: where a user's roots, the server's socket and the default
 * mount point are.
 *
 *	$ULF_DIR			if set
 *	/run/ulf/UID			if an administrator has made /run/ulf
 *	/dev/shm/ulf-UID		else
 *	$XDG_RUNTIME_DIR/ulf		if neither of them can be used, and this
 *	/run/user/UID/ulf		directory, or that, is ours
 *
 * Nothing of this depends on the session, so that a daemon that was started before login
 * and a command that is typed after it agree.  docs/design/places.md says why.
 *
 * Everybody may make names in /dev/shm and /run/ulf, so another user may have taken a name.
 * Such a name is passed over: the names are ulf-UID, ulf-UID.1, ulf-UID.2 ..., and the first
 * that belongs to this user is used, else the first that can be made.  mkdir() decides: of two
 * programs that start at the same time one makes the directory, and the other finds it.
 *
 * The directory must belong to this user, and nobody else may enter it.  This file depends on
 * libc alone and allocates nothing: the runtime uses it, too.
 */
#ifndef BASE_DIR_H
#define BASE_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* The longest path of the ulf directory, NUL included: a socket's address
 * (sun_path, 108 bytes) must have room for /server.sock after it. */
#define DIR_PATH_BYTES		92

#define DIR_ROOTS		"roots"
#define DIR_SOCKET		"server.sock"
#define DIR_LOCK		"server.lock"
#define DIR_MOUNT_LOCK		"mount.lock"
#define DIR_MOUNTS		"mounts"
#define DIR_LOG			"server.log"
#define DIR_RECEIPTS		"server.receipts"
#define DIR_TRACING		"tracing"

/* A directory in which each user may have one of his own. */
struct dir_place {
	const char *parent;
	const char *prefix;		/* name = prefix, user id */
};

#define DIR_PLACES		2
#define DIR_NAMES		64u	/* names that a user may have in each place */

extern const struct dir_place dir_places[DIR_PLACES];

/* The path of name @number of user @uid; 0 is the usual one. */
int dir_place_path(const struct dir_place *place, unsigned int uid, unsigned int number,
		   char ret_path[static DIR_PATH_BYTES]);

/*
 * dir_find - find the directory, without making it
 * @ret_path: an absolute path
 *
 * -ENAMETOOLONG; -EINVAL if $ULF_DIR is not an absolute path; -ENODEV if there is no place
 * for it; or -errno of open().
 */
int dir_find(char ret_path[static DIR_PATH_BYTES]);

/* Find the directory that is used without /run/ulf and /dev/shm, or -ENODEV.
 * @by_env: look at $XDG_RUNTIME_DIR, too */
int dir_find_session(bool by_env, char ret_path[static DIR_PATH_BYTES]);

/*
 * dir_make - make @path (mode 0700) and its roots/ if they are not there
 *
 * Returns 0; -ENOTDIR if there is something else, or a symbolic link; -EPERM if it belongs to
 * another user; -EXDEV if a file system is mounted there and $ULF_DIR does not name it;
 * -EEXIST if others may enter it; or -errno of mkdir() or open().
 */
int dir_make(const char *path);

/* Check that @path is a directory of this user that nobody else can enter.  Returns 0, -ENOENT,
 * or an error as dir_make() does. */
int dir_check(const char *path);

/*
 * dir_owner - the owner of directory @name in @parent_fd, which may be another user's
 *
 * Returns 0; -ENOTDIR; -EXDEV if a file system is mounted there, unless @may_be_mount: a FUSE
 * server can claim any owner; or -errno of statx().  Does not wait for such a server.
 */
int dir_owner(int parent_fd, const char *name, bool may_be_mount, unsigned int *ret_uid);

/* Find the directory and make it if it is missing; errors as dir_find(), dir_make(). */
int dir_get(char ret_path[static DIR_PATH_BYTES]);

/* Explain an error of these functions to people; NULL: strerror() says enough. */
const char *dir_strerror(int error);

/* "@dir/@name" into @ret_path; -ENAMETOOLONG if it does not fit. */
int dir_join(const char *dir, const char *name, char *ret_path, size_t bytes);

#endif
