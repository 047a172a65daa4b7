/* SPDX-License-Identifier: MIT */
/*
 * The server has one thread and serves FUSE itself.  A path that leads into one
 * of its own mounts would have it wait for itself for ever; one on somebody
 * else's FUSE, or on a file server that is gone, for as long as they like.
 *
 * So a path is walked name by name, with O_PATH, which asks no file system but
 * the one that holds the directory; and before anything is asked of what was
 * found there, the list of mounts says of what type it is.  What "/" is on is
 * taken as it is: without that one nothing would run.
 *
 * Links in /proc lead to files that no path may lead to any more, what they say is
 * for people; so the kernel follows these.
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

#define LINKS_MAX	40		/* as in the kernel */

struct walk {
	int fd;				/* how far we are; O_PATH */
	long mount;			/* that it is on */
	long root;			/* that "/" is on */
	int nr_links;
	char rest[2 * PATH_MAX];	/* names to go */
};

static bool is_local(const char *type)
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

/* A line: ID PARENT DEV ROOT DIR OPTIONS... - TYPE SOURCE OPTIONS */
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
		is_found = is_local(type);
	}
	free(line);
	if (file)
		fclose(file);
	return is_found;
}

/* The mount that @fd is on, without asking its file system. */
static long mount_of(int fd)
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
	walk->mount = walk->root = mount_of(walk->fd);
	return walk->mount < 0 ? (int)walk->mount : 0;
}

/* Put what the link says in front of the names to go. */
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

/* May it be asked?  @ret_mount: that it is on. */
static int walk_look(const struct walk *walk, int fd, long *ret_mount, struct stat *ret_st)
{
	long mount = mount_of(fd);

	if (mount < 0)
		return (int)mount;
	if (mount != walk->mount && mount != walk->root && !is_mount_local(mount))
		return -EREMOTE;
	if (fstat(fd, ret_st))
		return -errno;
	*ret_mount = mount;
	return 0;
}

static bool is_in_proc(int fd)
{
	struct statfs st;

	return !fstatfs(fd, &st) && st.f_type == PROC_SUPER_MAGIC;
}

/* Take the place of @link, which is @name where we are, with what it leads to. */
static int follow_proc(const struct walk *walk, const char *name, int *link)
{
	int fd = openat(walk->fd, name, O_PATH | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(*link);
	*link = fd;
	return 0;
}

/* Go to @fd, which is @name in the directory where we are, or where it points to. */
static int walk_into(struct walk *walk, const char *name, int fd)
{
	struct stat st;
	long mount;
	int r = walk_look(walk, fd, &mount, &st);

	if (!r && S_ISLNK(st.st_mode) && is_in_proc(fd)) {
		r = follow_proc(walk, name, &fd);
		if (!r)
			r = walk_look(walk, fd, &mount, &st);
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

/* Take the next name.  -ENODATA: there is none. */
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

/* O_PATH has not opened it yet. */
static int open_found(int found, int *ret_fd)
{
	char path[64];
	struct stat st;
	int fd;

	if (fstat(found, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", found);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return -errno;
	*ret_fd = fd;
	return 0;
}

int localfile_open(const char *path, int *ret_fd)
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
		r = open_found(walk.fd, ret_fd);
	if (walk.fd >= 0)
		close(walk.fd);
	return r;
}
