/* SPDX-License-Identifier: MIT */
/*
 * The ulf directory: where a user's roots, the server's socket and the default
 * mount point are.
 *
 *	$ULF_DIR			if set
 *	$XDG_RUNTIME_DIR/ulf		if set and that directory is ours
 *	/run/user/UID/ulf		if /run/user/UID is ours
 *	/dev/shm/ulf-UID		else
 *
 * (runtime/root.c, which lives in other people's programs, finds it likewise.)
 * It must be a directory of ours that nobody else can enter.
 */
#ifndef BASE_DIR_H
#define BASE_DIR_H

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

/*
 * dir_find - which directory it is; nothing is made or checked
 * @ret_path: an absolute path
 *
 * -ENAMETOOLONG, or -EINVAL if $ULF_DIR is not an absolute path.
 */
int dir_find(char ret_path[static DIR_PATH_BYTES]);

/*
 * dir_make - make @path (mode 0700) and its roots/ if they are not there
 *
 * -ENOTDIR: there is something else, or a symbolic link; -EPERM: it belongs
 * to somebody else; -EACCES: others may enter it; or what mkdir() said.
 */
int dir_make(const char *path);

/* What an error of the two above means, for people; NULL: nothing special. */
const char *dir_strerror(int error);

/* "@dir/@name" into @ret_path; -ENAMETOOLONG if it does not fit. */
int dir_join(const char *dir, const char *name, char *ret_path, size_t bytes);

#endif
