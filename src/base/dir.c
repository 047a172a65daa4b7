/* SPDX-License-Identifier: MIT */
/* Finding and checking the ulf directory; see dir.h. */
#include "base/dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

int dir_join(const char *dir, const char *name, char *ret_path, size_t bytes)
{
	int len = snprintf(ret_path, bytes, "%s/%s", dir, name);

	return len < 0 || (size_t)len >= bytes ? -ENAMETOOLONG : 0;
}

/* Ours, and nobody else can put anything there. */
static bool is_our_directory(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode) &&
	       st.st_uid == geteuid() && !(st.st_mode & 022);
}

int dir_find(char ret_path[static DIR_PATH_BYTES])
{
	const char *env = getenv("ULF_DIR");
	char run[32];
	int len;

	if (env && *env) {
		if (*env != '/')
			return -EINVAL;
		len = snprintf(ret_path, DIR_PATH_BYTES, "%s", env);
		return len >= DIR_PATH_BYTES ? -ENAMETOOLONG : 0;
	}
	env = getenv("XDG_RUNTIME_DIR");
	if (env && *env == '/' && is_our_directory(env))
		return dir_join(env, "ulf", ret_path, DIR_PATH_BYTES);
	snprintf(run, sizeof(run), "/run/user/%u", (unsigned int)geteuid());
	if (is_our_directory(run))
		return dir_join(run, "ulf", ret_path, DIR_PATH_BYTES);
	snprintf(ret_path, DIR_PATH_BYTES, "/dev/shm/ulf-%u", (unsigned int)geteuid());
	return 0;
}

/* Checked through a descriptor, so that nobody can swap it in between. */
static int check(const char *path)
{
	struct stat st;
	int fd, ret = 0;

	fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ELOOP ? -ENOTDIR : -errno;
	if (fstat(fd, &st) < 0)
		ret = -errno;
	else if (st.st_uid != geteuid())
		ret = -EPERM;
	else if (st.st_mode & 077)
		ret = -EACCES;
	close(fd);
	return ret;
}

int dir_make(const char *path)
{
	char roots[DIR_PATH_BYTES + sizeof(DIR_ROOTS) + 1];
	int ret;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return -errno;
	ret = check(path);
	if (ret < 0)
		return ret;
	ret = dir_join(path, DIR_ROOTS, roots, sizeof(roots));
	if (ret < 0)
		return ret;
	if (mkdir(roots, 0700) < 0 && errno != EEXIST)
		return -errno;
	return check(roots);
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
	case -EPERM:
		return "it belongs to another user; set ULF_DIR to a directory "
		       "of yours";
	case -EACCES:
		return "others can enter it; say chmod 700";
	case -ENOENT:
		return "the directory above it does not exist; make it, or set "
		       "ULF_DIR to another place";
	default:
		return NULL;
	}
}
