/* SPDX-License-Identifier: MIT */
/*
 * ulf mount: mount in the caller's mount namespace, and pass the descriptor of the mount to
 * the server.  A lock ensures that only one process mounts at a time.  The lock is needed
 * because a new server also runs this command, to restore the mounts of the previous server.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fusemount.h"
#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/mountpoint.h"
#include "cli/terminal.h"

/* Lock the file mount.lock.  Returns its descriptor; or -1 after printing an error. */
static int lock_mounts(const char *dir)
{
	char path[DIR_PATH_BYTES + 32];
	int fd;

	dir_join(dir, DIR_MOUNT_LOCK, path, sizeof(path));
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0 && flock(fd, LOCK_EX) == 0)
		return fd;
	cli_error("%s: %m", path);
	if (fd >= 0)
		close(fd);
	return -1;
}

/* Return true if @path is the directory @dir or below it. */
static bool is_path_below(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static bool is_directory_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int nr = 0;

	if (!dir)
		return true;		/* not an error yet: the mount itself will fail and
					 * report the reason */
	while ((entry = readdir(dir))) {
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			nr++;
	}
	closedir(dir);
	return nr == 0;
}

/* Check that @path is an empty directory, and that a mount on @path does not hide the
 * server's own files.  A server that opens a file in its own mount would wait for
 * itself. */
static int check_mountpoint(const struct conn *conn, const char *path)
{
	char roots[DIR_PATH_BYTES + 32], *real = realpath(conn->dir, NULL);
	bool hides_us;
	struct stat st;

	snprintf(roots, sizeof(roots), "%s/" DIR_ROOTS, real ? real : conn->dir);
	hides_us = is_path_below(real ? real : conn->dir, path) || is_path_below(path, roots);
	free(real);
	if (hides_us)
		cli_error("%s: mounting there would hide the ulf directory %s; choose "
			  "another place", path, conn->dir);
	else if (stat(path, &st) < 0)
		cli_error("%s: %m", path);
	else if (!S_ISDIR(st.st_mode))
		cli_error("%s is not a directory", path);
	else if (!is_directory_empty(path))
		cli_error("%s is not empty; choose an empty directory", path);
	else
		return 0;
	return -EINVAL;
}

/* Return true if the server already serves a mount on @path. */
static bool is_served_mount(struct conn *conn, const char *path)
{
	struct abi_request request = { .op = ABI_SOCKET_MOUNTS };
	size_t at;

	if (conn_call(conn, &request, NULL, 0) < 0)
		return false;
	for (at = 0; at < conn->data.len; at += strlen(conn->data.data + at) + 1) {
		if (strcmp(conn->data.data + at, path) == 0)
			return true;
	}
	return false;
}

/* Pass @fd, the descriptor of the mount on @path, to the server, and close @fd.  If this
 * fails, unmount @path. */
static int hand_over_mount(struct conn *conn, const char *path, int fd)
{
	struct abi_request request = { .op = ABI_SOCKET_MOUNT };
	int ret = conn_send(conn, &request, path, strlen(path), fd);

	if (!ret)
		ret = conn_receive(conn);
	close(fd);
	if (ret < 0) {
		cli_error("the server does not serve %s: %s", path, strerror(-ret));
		fusemount_close(path, true, true);
	}
	return ret;
}

/* Unmount a dead mount, which a dead server has left on @path.  Returns 0 if nothing is
 * mounted on @path now; 1 if @path is mounted and served already; -ENOENT if there is
 * no mount to restore; or another -errno. */
static int clear_mountpoint(struct conn *conn, const char *path, bool is_restore)
{
	if (!fusemount_is_mounted(path))
		return is_restore ? -ENOENT : 0;
	if (fusemount_is_stale(path)) {
		int ret = fusemount_close(path, true, false);

		if (ret < 0)
			cli_error("%s: cannot unmount what a dead server left there: %s",
				  path, strerror(-ret));
		return ret;
	}
	if (is_served_mount(conn, path))
		return 1;
	cli_error("%s is mounted by another server; choose another directory", path);
	return -EBUSY;
}

static int mount_on(struct conn *conn, const char *path, bool is_restore)
{
	enum fusemount_step step;
	int ret, fd;

	ret = clear_mountpoint(conn, path, is_restore);
	if (ret)
		return ret;
	ret = check_mountpoint(conn, path);
	if (ret < 0)
		return ret;
	ret = fusemount_open(path, &fd, &step);
	if (ret < 0) {
		mountpoint_report_error(path, ret, step);
		return ret;
	}
	return hand_over_mount(conn, path, fd);
}

static int mount_locked(struct conn *conn, const char *word, bool is_restore)
{
	int lock = lock_mounts(conn->dir), ret;
	char *path;

	if (lock < 0)
		return -1;
	ret = mountpoint_find(conn->dir, word, &path);
	if (ret >= 0) {
		ret = mount_on(conn, path, is_restore);
		if (ret >= 0)
			terminal_line(stdout, "%s", path);
		free(path);
	}
	close(lock);
	return ret;
}

static int cmd_mount(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "restore", no_argument, NULL, 'r' },	/* only the server uses the option
							 * --restore */
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool is_restore = false;
	int option, ret, status;
	struct conn conn;

	while ((option = cli_option(cmd, argc, argv, "h", options, &status)) != -1) {
		if (option == -2)
			return status;
		is_restore = true;
	}
	if (argc - optind > 1)
		return cli_usage(cmd);
	if (conn_open(&conn, is_restore ? CONN_RESTORE : CONN_START) < 0)
		return CLI_FAILED;
	ret = mount_locked(&conn, argv[optind], is_restore);
	conn_close(&conn);
	return ret < 0 ? CLI_FAILED : 0;
}

const struct cli_cmd cli_mount = {
	.name = "mount",
	.args = "[DIR]",
	.summary = "mount the tree of control files",
	.help =
"Mounts the tree on DIR, an empty directory, or on the directory `tracing` of the\n"
"ulf directory, and prints the path.  The tree has a directory for every root,\n"
"with the files that the kernel has in /sys/kernel/tracing.  It stays mounted\n"
"until `ulf umount` or `ulf stop`.\n"
"\n"
"Needs /dev/fuse and, unless you are root, fusermount3 (package fuse3).\n"
"Without them, use `ulf cat` and `ulf echo`.\n",
	.run = cmd_mount,
};
