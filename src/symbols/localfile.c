/* SPDX-License-Identifier: MIT */
/*
 * Open files without waiting for a file system that another process or machine serves.
 *
 * The server has one thread and serves FUSE itself.  A path into one of its own mounts
 * would make the server wait for itself forever.  A path into another FUSE mount, or to a
 * network file server that is down, could make it wait for any time.
 *
 * So a path is walked name by name with O_PATH, which accesses only the file system of
 * the parent directory.  Before the found object is accessed, the list of mounts shows
 * the type of its file system.  The file system of "/" is always accepted: nothing would
 * run without it.
 *
 * Symbolic links in /proc are resolved by the kernel.  Such a link may lead to a file that no
 * longer has a path, so its text cannot be used.
 */
#include "symbols/localfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define LINKS_MAX	40		/* maximum number of symbolic links in a path,
					 * as in the kernel */

struct walk {
	int fd;				/* O_PATH descriptor of the directory that the
					 * walk has reached */
	long mount;			/* id of the mount that contains @fd */
	long root;			/* id of the mount that contains "/" */
	int nr_links;			/* number of symbolic links that were followed */
	char rest[2 * PATH_MAX];	/* rest of the path: the names through which the walk
					 * has not gone yet */
};

static bool is_local_fs(const char *type)
{
	static const char *const others[] = {
		"9p", "afs", "autofs", "ceph", "cifs", "fuse", "fuseblk", "nfs",
		"nfs4", "smb3",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (!strcmp(type, others[i]))
			return false;
	return strncmp(type, "fuse.", 5) != 0;
}

/*
 * Return true if the file system of the mount with the id @mount is local.  A line of
 * /proc/self/mountinfo is: ID PARENT DEV ROOT DIR OPTIONS... - TYPE SOURCE OPTIONS
 */
static bool is_mount_local(long mount)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, *type = NULL;
	bool is_found = false;
	size_t room = 0;

	while (file && !type && getline(&line, &room, file) > 0) {
		if (strtol(line, NULL, 10) == mount)
			type = strstr(line, " - ");
	}
	if (type) {
		type += 3;
		type[strcspn(type, " \n")] = '\0';
		is_found = is_local_fs(type);
	}
	free(line);
	if (file)
		fclose(file);
	return is_found;
}

/*
 * Return the id of the mount that contains @fd, or -errno.  Does not access the file
 * system of @fd.
 */
static long mount_id_of(int fd)
{
	char path[64], line[128];
	long mount = -ENOENT;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	file = fopen(path, "re");
	if (!file)
		return -errno;
	while (mount < 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, "mnt_id: %ld", &mount) != 1)
			mount = -ENOENT;
	fclose(file);
	return mount;
}

static int walk_to_root(struct walk *walk)
{
	if (walk->fd >= 0)
		close(walk->fd);
	walk->fd = open("/", O_PATH | O_CLOEXEC);
	if (walk->fd < 0)
		return -errno;
	walk->mount = walk->root = mount_id_of(walk->fd);
	return walk->mount < 0 ? (int)walk->mount : 0;
}

/* Insert the target of the symbolic link @link before the remaining names of the
 * path. */
static int walk_link(struct walk *walk, int link)
{
	char names[sizeof(walk->rest)];
	ssize_t len = readlinkat(link, "", names, PATH_MAX);

	if (len < 0)
		return -errno;
	if (++walk->nr_links > LINKS_MAX)
		return -ELOOP;
	if (len + 1 + strlen(walk->rest) >= sizeof(names))
		return -ENAMETOOLONG;
	names[len] = '/';
	strcpy(names + len + 1, walk->rest);
	strcpy(walk->rest, names);
	return names[0] == '/' ? walk_to_root(walk) : 0;
}

/*
 * Get the mount id and the status of @fd.  Returns -EREMOTE if the file system of @fd
 * must not be accessed.
 */
static int walk_inspect(const struct walk *walk, int fd, long *ret_mount, struct stat *ret_st)
{
	long mount = mount_id_of(fd);

	if (mount < 0)
		return (int)mount;
	if (mount != walk->mount && mount != walk->root && !is_mount_local(mount))
		return -EREMOTE;
	if (fstat(fd, ret_st))
		return -errno;
	*ret_mount = mount;
	return 0;
}

static bool is_in_procfs(int fd)
{
	struct statfs st;

	return !fstatfs(fd, &st) && st.f_type == PROC_SUPER_MAGIC;
}

/*
 * Follow the symbolic link @name in the current directory, which is in /proc.  The kernel
 * resolves the link.  Replaces *@link, the descriptor of the link, by a descriptor of the
 * file to which the link leads.
 */
static int follow_proc_link(const struct walk *walk, const char *name, int *link)
{
	int fd = openat(walk->fd, name, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(*link);
	*link = fd;
	return 0;
}

/*
 * Continue the walk at @fd, the file @name in the current directory.  If @fd is a symbolic
 * link, follow the link.
 */
static int walk_into(struct walk *walk, const char *name, int fd)
{
	struct stat st;
	long mount;
	int r = walk_inspect(walk, fd, &mount, &st);

	if (!r && S_ISLNK(st.st_mode) && is_in_procfs(fd)) {
		r = follow_proc_link(walk, name, &fd);
		if (!r)
			r = walk_inspect(walk, fd, &mount, &st);
	}
	if (r || S_ISLNK(st.st_mode)) {
		r = r ? r : walk_link(walk, fd);
		close(fd);
		return r;
	}
	close(walk->fd);
	walk->fd = fd;
	walk->mount = mount;
	return 0;
}

/* Continue the walk at the next name of the path.  Returns -ENODATA at the end of the path. */
static int walk_step(struct walk *walk)
{
	size_t start = strspn(walk->rest, "/");
	size_t len = strcspn(walk->rest + start, "/");
	char name[NAME_MAX + 1];
	int fd;

	if (!len)
		return -ENODATA;
	if (len > NAME_MAX)
		return -ENAMETOOLONG;
	memcpy(name, walk->rest + start, len);
	name[len] = '\0';
	memmove(walk->rest, walk->rest + start + len,
		strlen(walk->rest + start + len) + 1);
	fd = openat(walk->fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : walk_into(walk, name, fd);
}

/* Open the file or directory that was found, for reading.  @found: its O_PATH descriptor,
 * from which nothing can be read. */
static int open_found(int found, bool is_directory, int *ret_fd)
{
	char path[64];
	struct stat st;
	int fd;

	if (fstat(found, &st))
		return -errno;
	if (is_directory ? !S_ISDIR(st.st_mode) : !S_ISREG(st.st_mode))
		return is_directory ? -ENOTDIR : -ENOEXEC;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

static int open_path(const char *path, bool is_directory, int *ret_fd)
{
	struct walk walk = { .fd = -1 };
	int r;

	if (path[0] != '/')
		return -ENOENT;
	if (strlen(path) >= PATH_MAX)
		return -ENAMETOOLONG;
	strcpy(walk.rest, path);
	r = walk_to_root(&walk);
	while (!r)
		r = walk_step(&walk);
	if (r == -ENODATA)
		r = open_found(walk.fd, is_directory, ret_fd);
	if (walk.fd >= 0)
		close(walk.fd);
	return r;
}

int localfile_open(const char *path, int *ret_fd)
{
	return open_path(path, false, ret_fd);
}

int localfile_open_directory(const char *path, int *ret_fd)
{
	return open_path(path, true, ret_fd);
}
