/* SPDX-License-Identifier: MIT */
/* Choose, open and name the files of the cache, in which analyses of code are kept; see
 * moved_cache.h. */
#include "server/functions/moved_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "abi/moved_file.h"
#include "base/prune.h"
#include "server/names/objects.h"
#include "symbols/localfile.h"
#include "symbols/parse.h"

#define DIR_NAME	"ulf/moved"
#define DIR_MODE	0700
#define FILE_MODE	0600
#define LEVELS_MAX	4		/* maximum number of directories that are created
					 * on the way to the cache's directory */
#define FILES_BYTES_MAX	(256ull << 20)	/* limit of the total size of the cache's files,
					 * bytes; above the limit the oldest files are
					 * removed */
#define NEW_PREFIX	"new."		/* prefix of the names of cache files that are
					 * still being written */

/* The directory of the cache.  All roots of this server share it; only the server's
 * thread uses it. */
static struct {
	int fd;				/* descriptor of the cache's directory; -1 if it
					 * is not open */
	bool is_tried;			/* true: the server has tried to open the
					 * directory */
	uint32_t nr_new;		/* number of files of the cache that this server
					 * has created */
} directory = { .fd = -1 };

/* ---- the directory ---- */

/* Return true if @fd is a directory that belongs to this user and whose mode has none of
 * the bits @forbidden. */
static bool is_own(int fd, mode_t forbidden)
{
	struct stat st;

	return !fstat(fd, &st) && st.st_uid == geteuid() && !(st.st_mode & forbidden);
}

/*
 * Open the directory @path.  If it does not exist, create it and those above it, at
 * most @levels directories.  All of these must belong to this user, because a server
 * of the superuser that has another user's $HOME must not write to it.  Returns 0 or
 * -errno.
 */
static int open_levels(const char *path, int levels, int *ret_fd)
{
	int r = localfile_open_directory(path, ret_fd), parent_fd;
	const char *slash = strrchr(path, '/');
	char parent[PATH_MAX];

	if (r == -ENOENT && levels && slash && slash != path) {
		memcpy(parent, path, (size_t)(slash - path));
		parent[slash - path] = '\0';
		r = open_levels(parent, levels - 1, &parent_fd);
		if (r)
			return r;
		r = mkdirat(parent_fd, slash + 1, DIR_MODE) && errno != EEXIST ? -errno : 0;
		close(parent_fd);
		if (!r)
			r = localfile_open_directory(path, ret_fd);
	}
	if (!r && !is_own(*ret_fd, 022)) {
		close(*ret_fd);
		r = -EPERM;
	}
	return r;
}

/* Store the path of the cache's directory in @path.  Returns 0, or -errno if there is no
 * such path. */
static int find_path(char path[PATH_MAX])
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int len;

	if (cache && *cache == '/')
		len = snprintf(path, PATH_MAX, "%s/" DIR_NAME, cache);
	else
		len = snprintf(path, PATH_MAX, "%s/.cache/" DIR_NAME, home ? home : "");
	if (len >= PATH_MAX)
		return -ENAMETOOLONG;
	return (cache && *cache == '/') || (home && *home == '/') ? 0 : -ENOENT;
}

/* Return a descriptor of the cache's directory, or -1.  Only the first call tries to open
 * it. */
static int open_directory(struct root *root)
{
	char path[PATH_MAX];
	int fd, r;

	if (directory.is_tried)
		return directory.fd;
	directory.is_tried = true;
	r = find_path(path);
	if (!r)
		r = open_levels(path, LEVELS_MAX, &fd);
	if (!r && (!is_own(fd, 077) || faccessat(fd, ".", W_OK | X_OK, AT_EACCESS))) {
		close(fd);
		r = -EACCES;
	}
	if (r)
		objects_log(root, path, "Analyses are not kept: no such private directory");
	else
		directory.fd = fd;
	return directory.fd;
}

/* ---- the files ---- */

static int open_old(int dir, const char *name)
{
	struct stat st;
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid())) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Create a cache file for a parser.  The name contains the pid of this server.  So if a
 * file of this name exists, a server that has ended has left it, and it is removed. */
static int make_new(int dir, char name[MOVED_CACHE_NAME])
{
	int fd;

	snprintf(name, MOVED_CACHE_NAME, NEW_PREFIX "%d.%" PRIu32, (int)getpid(),
		 directory.nr_new++);
	unlinkat(dir, name, 0);
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
	if (fd < 0)
		name[0] = '\0';
	return fd;
}

void moved_cache_open(struct root *root, const struct abi_moved_file *file,
		      struct moved_cache *cache, struct parse_want *want)
{
	int dir = open_directory(root);

	*cache = (struct moved_cache){ .name = "" };
	if (dir < 0)
		return;
	snprintf(cache->name, sizeof(cache->name),
		 "%" PRIx32 ".%" PRIx32 "-%" PRIx64 "-%" PRIx64 "-%" PRIx64 "-%" PRIx64,
		 file->dev_major, file->dev_minor, file->ino, file->bytes, file->mtime_ns,
		 file->ctime_ns);
	want->cache.old_fd = open_old(dir, cache->name);
	want->cache.new_fd = make_new(dir, cache->new_name);
	want->request.cache = (want->cache.old_fd < 0 ? 0 : PARSE_CACHE_OLD) |
			      (want->cache.new_fd < 0 ? 0 : PARSE_CACHE_NEW);
}

void moved_cache_close(struct moved_cache *cache, uint32_t used)
{
	if (!cache->name[0])
		return;
	if (used & PARSE_CACHE_OLD)
		utimensat(directory.fd, cache->name, NULL, AT_SYMLINK_NOFOLLOW);
	if (cache->new_name[0] && used & PARSE_CACHE_NEW &&
	    !renameat(directory.fd, cache->new_name, directory.fd, cache->name))
		prune_files(directory.fd, FILES_BYTES_MAX, NULL, NULL);
	else if (cache->new_name[0])
		unlinkat(directory.fd, cache->new_name, 0);
	*cache = (struct moved_cache){ .name = "" };
}
