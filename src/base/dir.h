/* SPDX-License-Identifier: MIT */
/*
 * The ulf directory.  It contains a user's roots, the server's socket and the default mount
 * point.  The first of these paths is used:
 *
 *	$ULF_DIR			if set
 *	/run/ulf/UID			if there is a /run/ulf
 *	/dev/shm/ulf-UID		else
 *	$XDG_RUNTIME_DIR/ulf		if the paths above cannot be used, and
 *					$XDG_RUNTIME_DIR belongs to this user
 *	/run/user/UID/ulf		if /run/user/UID belongs to this user
 *
 * The first three do not depend on the login session.  So a daemon that was started
 * before login uses the same directory as a command that is typed after login.
 * docs/design/places.md has the reasons.
 *
 * Every user may make names in /dev/shm and /run/ulf, so another user may have taken a
 * name.  Such a name is skipped.  The names are ulf-UID, ulf-UID.1, ulf-UID.2 and so on.
 * The first directory that belongs to this user is used.  If this user has none, the first
 * free name is used.  If two programs start at the same time, one of them makes the
 * directory, and mkdir() of the other program reports that the directory exists.
 *
 * The directory must belong to this user, and nobody else may enter it.  This code depends on
 * libc alone and allocates nothing, because the runtime uses it, too.
 */
#ifndef BASE_DIR_H
#define BASE_DIR_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the longest path of the ulf directory, including the NUL.  A socket's address
 * (sun_path, 108 bytes) must have space for the path and /server.sock. */
#define DIR_PATH_BYTES		92

#define DIR_ROOTS		"roots"
#define DIR_SOCKET		"server.sock"
#define DIR_LOCK		"server.lock"
#define DIR_MOUNT_LOCK		"mount.lock"
#define DIR_MOUNTS		"mounts"
#define DIR_LOG			"server.log"
#define DIR_RECEIPTS		"server.receipts"
#define DIR_TRACING		"tracing"
#define DIR_MOVED		"moved"		/* directory of the files that
						 * abi/moved_file.h describes */

/* A directory of the system in which each user may have a ulf directory. */
struct dir_place {
	const char *parent;		/* path of the directory, for example "/dev/shm" */
	const char *prefix;		/* prefix of the names of the users' ulf
					 * directories; the user id follows it */
};

#define DIR_PLACES		2
#define DIR_NAMES		64u	/* maximum number of names for the ulf
					 * directories of one user in each struct
					 * dir_place */

/* All directories in which a user may have a ulf directory, in the order in which they are
 * tried. */
extern const struct dir_place dir_places[DIR_PLACES];

/*
 * Get the path of the ulf directory of user @uid in @place.  @number: 0 for the usual
 * name, /dev/shm/ulf-1000; 2 for /dev/shm/ulf-1000.2.  Returns 0 or -ENAMETOOLONG.
 */
int dir_place_path(const struct dir_place *place, unsigned int uid, unsigned int number,
		   char ret_path[static DIR_PATH_BYTES]);

/*
 * dir_find - get the path of the ulf directory, without making the directory
 * @ret_path: an absolute path; after -ENODEV, a path for the error message
 *
 * Returns 0; -ENAMETOOLONG; -EINVAL if $ULF_DIR is not an absolute path; -ENODEV if no
 * path can be used; -EMFILE, -ENFILE or -ENOMEM of open().
 */
int dir_find(char ret_path[static DIR_PATH_BYTES]);

/*
 * Get the path of the ulf directory for the case that /run/ulf and /dev/shm cannot be
 * used.  @by_env: try $XDG_RUNTIME_DIR before /run/user/UID.  Returns 0, -ENODEV or
 * -ENAMETOOLONG.
 */
int dir_find_session(bool by_env, char ret_path[static DIR_PATH_BYTES]);

/*
 * dir_make - make @path (mode 0700) and @path/roots if they do not exist
 *
 * Returns 0; -ENOTDIR if @path is a symbolic link or not a directory; -EPERM if @path
 * belongs to another user; -EXDEV if a file system is mounted on @path and $ULF_DIR does
 * not name @path; -EEXIST if other users may enter @path; or -errno of mkdir() or open().
 */
int dir_make(const char *path);

/* Check that @path is a directory of this user that nobody else can enter.  Returns 0,
 * -ENOENT, or an error that dir_make() returns. */
int dir_check(const char *path);

/*
 * dir_owner - get the owner of the directory @name in @parent_fd
 * @may_be_mount: accept a directory on which a file system is mounted
 *
 * Returns 0; -ENOTDIR; -EXDEV if a file system is mounted there and @may_be_mount is false,
 * because a FUSE server can claim any owner; or -errno of statx().  Never waits for a FUSE
 * server.
 */
int dir_owner(int parent_fd, const char *name, bool may_be_mount, unsigned int *ret_uid);

/* Find the ulf directory with dir_find(), and make it with dir_make() if it does not exist.
 * If another user takes the name between the two calls, find another name.  Returns 0,
 * or an error of dir_find() or dir_make(). */
int dir_get(char ret_path[static DIR_PATH_BYTES]);

/* Returns a message for users that explains an error of dir_find(), dir_make()
 * or dir_get(), or NULL if strerror() explains the error well enough. */
const char *dir_strerror(int error);

/* Write "@dir/@name" to @ret_path.  Returns 0, or -ENAMETOOLONG if the path does not
 * fit into @bytes. */
int dir_join(const char *dir, const char *name, char *ret_path, size_t bytes);

#endif
