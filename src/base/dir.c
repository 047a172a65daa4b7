/* SPDX-License-Identifier: MIT */
/* Find, check and make the ulf directory; see dir.h. */
#include "base/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int dir_join(const char *dir, const char *name, char *ret_path, size_t bytes)
{
	int len = snprintf(ret_path, bytes, "%s/%s", dir, name);

	return len < 0 || (size_t)len >= bytes ? -ENAMETOOLONG : 0;
}

const struct dir_place dir_places[DIR_PLACES] = {
	{ "/run/ulf", "" },
	{ "/dev/shm", "ulf-" },
};

static const char *env_directory(void)
{
	const char *env = getenv("ULF_DIR");

	return env && *env ? env : NULL;
}

/*
 * Return true if a file system is mounted on the directory with attributes @st.  A
 * kernel before 5.8 does not report mount points.  On such a kernel the function
 * compares the device numbers of the directory and its parent.  The kernel itself
 * provides both values, so a FUSE server cannot forge them.
 */
static bool is_mount_root(const struct statx *st, int parent_fd, const char *parent)
{
	struct statx above;

	if (st->stx_attributes_mask & STATX_ATTR_MOUNT_ROOT)
		return st->stx_attributes & STATX_ATTR_MOUNT_ROOT;
	return statx(parent_fd, parent, AT_EMPTY_PATH | AT_STATX_DONT_SYNC, 0, &above) < 0 ||
	       above.stx_dev_major != st->stx_dev_major ||
	       above.stx_dev_minor != st->stx_dev_minor;
}

/*
 * Read owner and mode of a directory.  With AT_STATX_DONT_SYNC the kernel does not ask a
 * FUSE server, which may be a process of another user that never answers.
 */
static int read_attributes(int fd, const char *name, struct statx *ret_st)
{
	return statx(fd, name, AT_EMPTY_PATH | AT_STATX_DONT_SYNC | AT_NO_AUTOMOUNT |
		     AT_SYMLINK_NOFOLLOW, STATX_TYPE | STATX_MODE | STATX_UID, ret_st) < 0 ?
	       -errno : 0;
}

int dir_owner(int parent_fd, const char *name, bool may_be_mount, unsigned int *ret_uid)
{
	struct statx st;
	int ret = read_attributes(parent_fd, name, &st);

	if (ret < 0)
		return ret;
	if (!S_ISDIR(st.stx_mode))
		return -ENOTDIR;
	if (!may_be_mount && is_mount_root(&st, parent_fd, ""))
		return -EXDEV;
	*ret_uid = st.stx_uid;
	return 0;
}

/*
 * Check that the directory @path belongs to this user, and that nobody else can enter
 * it.  All checks use one descriptor, so that nobody can replace the directory
 * between two checks.  The descriptor is opened with O_PATH, which also works for a
 * directory that this user cannot read.
 */
static int check_directory(const char *path, bool may_be_mount)
{
	const char *slash = strrchr(path, '/');
	char parent[DIR_PATH_BYTES];
	struct statx st;
	int fd, ret;

	fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ELOOP ? -ENOTDIR : -errno;
	snprintf(parent, sizeof(parent), "%.*s", slash ? (int)(slash - path) + 1 : 0, path);
	ret = read_attributes(fd, "", &st);
	if (ret == 0 && !may_be_mount && is_mount_root(&st, AT_FDCWD, parent))
		ret = -EXDEV;		/* check for a mount before owner and mode,
					 * because a FUSE server can forge owner and mode */
	else if (ret == 0 && st.stx_uid != geteuid())
		ret = -EPERM;
	else if (ret == 0 && st.stx_mode & 077)
		ret = -EEXIST;
	close(fd);
	return ret;
}

int dir_check(const char *path)
{
	return check_directory(path, env_directory());
}

/* ---- choose the path of the ulf directory ---- */

int dir_place_path(const struct dir_place *place, unsigned int uid, unsigned int number,
		   char ret_path[static DIR_PATH_BYTES])
{
	char name[32], suffix[16] = "";

	if (number)
		snprintf(suffix, sizeof(suffix), ".%u", number);
	snprintf(name, sizeof(name), "%s%u%s", place->prefix, uid, suffix);
	return dir_join(place->parent, name, ret_path, DIR_PATH_BYTES);
}

/* Return true if this user can make a directory in @parent, and no other user can then
 * remove or rename this directory. */
static bool can_make_directory_in(const char *parent)
{
	struct stat st;

	return stat(parent, &st) == 0 && S_ISDIR(st.st_mode) &&
	       (!(st.st_mode & 022) || st.st_mode & S_ISVTX) &&
	       faccessat(AT_FDCWD, parent, W_OK | X_OK, AT_EACCESS) == 0;
}

/*
 * Find the first name in @place that belongs to this user.  If there is none, find the
 * first name that is free.  Skip names of other users.  Also skip names where a file
 * system is mounted, because a FUSE server can claim any owner and mode.  Returns
 * -ENODEV if no name is left.
 */
static int find_directory_in(const struct dir_place *place, char ret_path[static DIR_PATH_BYTES])
{
	unsigned int number, unused = DIR_NAMES;
	int ret;

	if (faccessat(AT_FDCWD, place->parent, X_OK, AT_EACCESS) < 0)
		return -ENODEV;
	for (number = 0; number < DIR_NAMES; number++) {
		ret = dir_place_path(place, geteuid(), number, ret_path);
		if (!ret)
			ret = dir_check(ret_path);
		if (ret == -ENOENT && unused == DIR_NAMES)
			unused = number;
		else if (ret == 0 || ret == -EEXIST)
			return 0;
		else if (ret == -EMFILE || ret == -ENFILE || ret == -ENOMEM)
			return ret;
	}
	if (unused == DIR_NAMES || !can_make_directory_in(place->parent))
		return -ENODEV;
	return dir_place_path(place, geteuid(), unused, ret_path);
}

/* Returns true if @path is a directory of this user to which nobody else can write. */
static bool is_own_directory(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & 022);
}

int dir_find_session(bool by_env, char ret_path[static DIR_PATH_BYTES])
{
	const char *env = by_env ? getenv("XDG_RUNTIME_DIR") : NULL;
	char run[32];

	if (env && *env == '/' && is_own_directory(env))
		return dir_join(env, "ulf", ret_path, DIR_PATH_BYTES);
	snprintf(run, sizeof(run), "/run/user/%u", (unsigned int)geteuid());
	if (is_own_directory(run))
		return dir_join(run, "ulf", ret_path, DIR_PATH_BYTES);
	return -ENODEV;
}

int dir_find(char ret_path[static DIR_PATH_BYTES])
{
	const char *env = env_directory();
	int ret = -ENODEV;
	unsigned int i;

	if (env) {
		int len = snprintf(ret_path, DIR_PATH_BYTES, "%s", env);

		if (*env != '/')
			return -EINVAL;
		return len >= DIR_PATH_BYTES ? -ENAMETOOLONG : 0;
	}
	for (i = 0; i < DIR_PLACES && ret == -ENODEV; i++)
		ret = find_directory_in(&dir_places[i], ret_path);
	if (ret == -ENODEV)
		ret = dir_find_session(true, ret_path);
	if (ret == -ENODEV)		/* Even if no directory can be used, return
					 * the usual path for the caller's error
					 * message. */
		dir_place_path(&dir_places[DIR_PLACES - 1], geteuid(), 0, ret_path);
	return ret;
}

/* ---- make the ulf directory ---- */

int dir_make(const char *path)
{
	char roots[DIR_PATH_BYTES + sizeof(DIR_ROOTS) + 1];
	int ret;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	ret = dir_check(path);
	if (ret < 0)
		return ret;
	ret = dir_join(path, DIR_ROOTS, roots, sizeof(roots));
	if (ret < 0)
		return ret;
	if (mkdir(roots, 0700) < 0 && errno != EEXIST)
		return -errno;
	return check_directory(roots, true);	/* accept a mount on `roots`: only this user can
					 * mount below @path */
}

/*
 * Returns true if @error can mean that another user has changed the name between
 * dir_find() and dir_make(), so that the caller must call dir_find() again.  That
 * user has either taken the name, or made and removed a directory of that name
 * (-ENOENT).
 */
static bool is_lost_race(int error)
{
	return error == -EPERM || error == -ENOTDIR || error == -EXDEV || error == -ENOENT;
}

int dir_get(char ret_path[static DIR_PATH_BYTES])
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < DIR_NAMES; i++) {
		ret = dir_find(ret_path);
		if (!ret)
			ret = dir_make(ret_path);
		if (!is_lost_race(ret) || env_directory())
			break;
	}
	return ret;
}

const char *dir_strerror(int error)
{
	switch (error) {
	case -EINVAL:
		return "ULF_DIR must be an absolute path";
	case -ENAMETOOLONG:
		return "the path is too long (at most 91 characters); "
		       "set ULF_DIR to a shorter one";
	case -ENOTDIR:
		return "it is not a directory; move it away, or set ULF_DIR "
		       "to another place";
	case -EXDEV:
		return "a file system is mounted there, perhaps by another user; set ULF_DIR to "
		       "a directory of yours";
	case -EPERM:
		return "it belongs to another user; set ULF_DIR to a directory "
		       "of yours";
	case -EEXIST:
		return "others can enter it; run chmod 700 on it";
	case -EACCES:
		return "no permission to make it there, or to enter it; set ULF_DIR to a "
		       "directory of yours";
	case -EROFS:
		return "it is not there, and its file system is read-only; set ULF_DIR to "
		       "another place";
	case -ENOSPC:
	case -EDQUOT:
		return "its file system is full (see df -h, df -i): remove something there, "
		       "or set ULF_DIR to another place";
	case -EMFILE:
		return "too many files are open in this process; raise `ulimit -n`";
	case -ENFILE:
		return "too many files are open on this machine";
	case -ENOENT:
		return "the directory above it does not exist; make it, or set "
		       "ULF_DIR to another place";
	case -ENODEV:
		return "it cannot be made there, and there is no /run/user/UID; set "
		       "ULF_DIR to a directory of yours on a tmpfs";
	default:
		return NULL;
	}
}
