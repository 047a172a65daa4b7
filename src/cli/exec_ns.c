/* SPDX-License-Identifier: MIT */
/*
 * Enter a mount namespace in which the directory of a root is mounted in place of the
 * kernel's tracefs; see exec_ns.h.
 *
 * Tools look for tracefs in /proc/mounts: libtracefs takes the first line whose third
 * field is `tracefs`.  If the kernel's tracefs is mounted, there is such a line.  Then
 * this file binds the root's directory over every mount point with such a line.  If the
 * kernel's tracefs is not mounted, tools must find the line of ulf's own mount.  The
 * kernel prints the line of ulf's mount as
 *
 *	NAME MOUNTPOINT fuse.tracefs OPTIONS 0 0
 *
 * In NAME the kernel escapes blanks, tabs and newlines, but not vertical tabs.  scanf()
 * takes a vertical tab for a blank.  So NAME contains all six fields of a line,
 * separated by vertical tabs: scanf() reads them and finds the type `tracefs`.
 */
#include "cli/exec_ns.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fusemount.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/mountpoint.h"

#define TRACING		"/sys/kernel/tracing"
#define DEBUG_TRACING	"/sys/kernel/debug/tracing"
#define NAME		"none\v" TRACING "\vtracefs\vrw\v0\v0"

static int write_all_bytes(int fd, const char *data, size_t bytes)
{
	ssize_t len;

	for (; bytes; data += len, bytes -= (size_t)len) {
		len = write(fd, data, bytes);
		if (len < 0)
			return -errno;
	}
	return 0;
}

static int write_id_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	ret = write_all_bytes(fd, text, strlen(text));
	close(fd);
	return ret;
}

/* Map the user id and the group id of this process to themselves in its new user namespace. */
static int map_ids(uid_t uid, gid_t gid)
{
	char map[64];
	int ret;

	snprintf(map, sizeof(map), "%u %u 1\n", uid, uid);
	ret = write_id_file("/proc/self/uid_map", map);
	if (!ret)
		ret = write_id_file("/proc/self/setgroups", "deny");
	snprintf(map, sizeof(map), "%u %u 1\n", gid, gid);
	if (!ret)
		ret = write_id_file("/proc/self/gid_map", map);
	return ret;
}

/* Enter a new mount namespace.  If this is not allowed, enter a new user namespace and
 * a new mount namespace. */
static int unshare_mounts(void)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (unshare(CLONE_NEWNS) == 0)
		return 0;
	if (errno != EPERM)
		return -errno;
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return -errno;
	return map_ids(uid, gid);
}

static void report_no_namespace(int error)
{
	cli_error("cannot create a user namespace: %s", strerror(-error));
	cli_error("root can allow it: `sysctl user.max_user_namespaces=10000` and, where "
		  "there are such, kernel.unprivileged_userns_clone=1, "
		  "kernel.apparmor_restrict_unprivileged_userns=0; or run this as root");
}

static int bind_mount(const char *from, const char *to)
{
	return mount(from, to, NULL, MS_BIND, NULL) < 0 ? -errno : 0;
}

/*
 * Bind the root's directory over @to if this user cannot enter the directory above @to.
 * Example: only user id 0 can enter the file system on /sys/kernel/debug, so no other user
 * reaches a mount below it.  So mount a tmpfs on the directory above @to, with nothing in it
 * but the mount point @to.
 */
static int bind_below_closed_directory(const char *to)
{
	char *parent = strdup(to);
	int ret = -ENOMEM;

	if (!parent)
		return ret;
	*strrchr(parent, '/') = '\0';
	if (mount("tmpfs", parent, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755") < 0 ||
	    mkdir(to, 0755) < 0)
		ret = -errno;
	else
		ret = bind_mount(TRACING, to);
	free(parent);
	return ret;
}

static int bind_root_over(const char *to)
{
	int ret = bind_mount(TRACING, to);

	return ret == -EACCES ? bind_below_closed_directory(to) : ret;
}

/*
 * Bind the root's directory over every mount of the kernel's tracefs.  Tools use the first
 * mount in /proc/mounts, so only a failure at the first mount is an error.  A mount that this
 * process cannot reach is no problem, because the tools cannot reach it either.
 */
static int cover_kernel_tracefs(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "re");
	struct mntent *entry;
	int ret = 0, nr = 0;

	if (!mounts) {
		cli_error("/proc/self/mounts: %m; is /proc mounted?");
		return -ENOENT;
	}
	while (!ret && (entry = getmntent(mounts))) {
		if (strcmp(entry->mnt_type, "tracefs") != 0)
			continue;
		if (strcmp(entry->mnt_dir, TRACING) != 0)
			ret = bind_root_over(entry->mnt_dir);
		if (ret < 0 && nr == 0)
			cli_error("cannot mount over %s: %s", entry->mnt_dir,
				  strerror(-ret));
		else
			ret = 0;
		nr++;
	}
	endmntent(mounts);
	if (!ret && access(DEBUG_TRACING, F_OK) == 0)
		ret = bind_root_over(DEBUG_TRACING);
	return ret;
}

/* Make a new file with the contents @text, and bind it over the file @to, if @to exists.
 * Prints errors. */
static int cover_file(const char *dir, const char *to, const char *text, size_t bytes)
{
	char path[DIR_PATH_BYTES + 32];
	int fd, ret;

	if (access(to, F_OK) < 0)
		return 0;
	snprintf(path, sizeof(path), "%s/exec.XXXXXX", dir);
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0) {
		cli_error("%s: %m", path);
		return -errno;
	}
	ret = write_all_bytes(fd, text, bytes);
	close(fd);
	if (!ret)
		ret = bind_mount(path, to);
	if (ret < 0)
		cli_error("cannot mount over %s: %s", to, strerror(-ret));
	/* The new file needs no name any more, because the bind mount keeps it alive. */
	unlink(path);
	return ret;
}

/* Replace /proc/kallsyms, where tools look for names of functions, by a list of the
 * program's functions. */
static int cover_symbols(struct conn *conn, const char *root)
{
	struct abi_request request = { .op = ABI_SOCKET_SYMBOLS };
	struct text text;
	int ret;

	text_init(&text, ABI_SOCKET_SYMBOLS_MAX);
	do {
		request.offset = text.len;
		ret = conn_call(conn, &request, root, strlen(root));
		text_write(&text, conn->data.data, conn->data.len);
	} while (!ret && !text.error && conn->data.len);
	if (!ret)
		ret = text.error;
	if (ret < 0)
		cli_error("the functions of %s: %s", root, strerror(-ret));
	else
		ret = cover_file(conn->dir, "/proc/kallsyms", text.data, text.len);
	text_done(&text);
	return ret;
}

/*
 * Replace the sysctls to which tools write.  trace-cmd writes to ftrace_enabled to turn the
 * function tracer on, and exits if this fails.  trace-cmd also writes to kptr_restrict, to
 * see addresses.
 */
static int cover_settings(const struct conn *conn)
{
	static const struct {
		const char *path, *text;
	} settings[] = {
		{ "/proc/sys/kernel/ftrace_enabled", "1\n" },
		{ "/proc/sys/kernel/kptr_restrict", "0\n" },
	};
	int ret = 0;

	for (size_t i = 0; !ret && i < sizeof(settings) / sizeof(settings[0]); i++)
		ret = cover_file(conn->dir, settings[i].path, settings[i].text,
				 strlen(settings[i].text));
	return ret;
}

/* Replace the sysctl of the stack tracer by the root's file stack_tracer_enabled. */
static int cover_stack_tracer(void)
{
	const char *to = "/proc/sys/kernel/stack_tracer_enabled";
	int ret = access(to, F_OK) ? 0 :
		  bind_mount(TRACING "/stack_tracer_enabled", to);

	if (ret < 0)
		cli_error("cannot mount over %s: %s", to, strerror(-ret));
	return ret;
}

/* Mount the server's tree on /sys/kernel/tracing, and bind the directory of @root over it. */
static int mount_root(struct conn *conn, const char *root)
{
	struct abi_request request = { .op = ABI_SOCKET_MOUNT };
	char path[sizeof(TRACING) + 128];
	enum fusemount_step step;
	int ret, fd;

	ret = fusemount_open_as(NAME, TRACING, &fd, &step);
	if (ret < 0) {
		mountpoint_report_error(TRACING, ret, step);
		return ret;
	}
	ret = conn_send(conn, &request, "", 0, fd);
	if (!ret)
		ret = conn_receive(conn);
	close(fd);
	if (ret < 0) {
		cli_error("the server does not serve the mount: %s", strerror(-ret));
		return ret;
	}
	snprintf(path, sizeof(path), TRACING "/%s", root);
	ret = bind_mount(path, TRACING);
	if (ret < 0)
		cli_error("%s: %s", root, strerror(-ret));
	return ret;
}

int exec_ns_enter(struct conn *conn, const char *root)
{
	int ret = unshare_mounts();

	if (ret < 0) {
		report_no_namespace(ret);
		return ret;
	}
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) {
		ret = -errno;
		report_no_namespace(ret);
		return ret;
	}
	ret = mount_root(conn, root);
	if (!ret)
		ret = cover_kernel_tracefs();
	if (!ret)
		ret = cover_settings(conn);
	if (!ret)
		ret = cover_stack_tracer();
	if (!ret)
		ret = cover_symbols(conn, root);
	return ret;
}
