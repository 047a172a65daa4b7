/* SPDX-License-Identifier: MIT */
/* Mount FUSE without libfuse; see fusemount.h. */
#include "base/fusemount.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"

#define FUSE_DEVICE	"/dev/fuse"
#define HELPER		"fusermount3"
#define OPTIONS		"default_permissions"
#define HELPER_MISSING	127		/* exit status of the child if exec() of the
					 * helper failed */

bool fusemount_is_device(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
	       st.st_rdev == makedev(10, 229);
}

static int open_fuse_device(void)
{
	int fd = open(FUSE_DEVICE, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fusemount_is_device(fd))
		return fd;
	close(fd);
	return -ENXIO;
}

static int mount_directly(const char *name, const char *dir, int fd)
{
	char options[128];

	snprintf(options, sizeof(options),
		 "fd=%d,rootmode=40000,user_id=%u,group_id=%u," OPTIONS, fd,
		 (unsigned int)geteuid(), (unsigned int)getegid());
	if (mount(name, dir, FUSEMOUNT_TYPE, MS_NOSUID | MS_NODEV, options) < 0)
		return -errno;
	return 0;
}

/* Wait until process @pid ends.  Returns the exit status of the process; -EINTR if a
 * signal killed the process; or -errno. */
static int wait_for_helper(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

/*
 * Start a helper program.  Returns its process id or -errno.
 * @keep_fd: one more descriptor that stays open in the helper, besides stdin, stdout
 * and stderr: the socket of fusermount3; -1: no other descriptor
 * @error_fd: the helper's standard error, to which it writes English messages; -1: the
 * helper inherits the standard error of this process
 */
static pid_t start_helper(char *const argv[], int keep_fd, int error_fd)
{
	pid_t pid = fork();
	char number[16];

	if (pid != 0)
		return pid < 0 ? -errno : pid;
	if (error_fd >= 0) {
		dup2(error_fd, STDERR_FILENO);
		setenv("LC_ALL", "C", 1);
	}
	fds_keep(keep_fd);
	if (keep_fd >= 0) {
		snprintf(number, sizeof(number), "%d", keep_fd);
		setenv("_FUSE_COMMFD", number, 1);
		fcntl(keep_fd, F_SETFD, 0);
	}
	execvp(argv[0], argv);
	_exit(HELPER_MISSING);
}

/* Receive the descriptor of the mount, which fusermount3 sends through @sock.  Returns the
 * descriptor, or -EIO. */
static int receive_mount_fd(int sock)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	char byte;
	struct iovec iov = { &byte, 1 };
	struct msghdr msg = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *cmsg;
	ssize_t len;
	int fd;

	do {
		len = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	} while (len < 0 && errno == EINTR);
	cmsg = len > 0 ? CMSG_FIRSTHDR(&msg) : NULL;
	if (!cmsg || cmsg->cmsg_type != SCM_RIGHTS)
		return -EIO;
	memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	return fd;
}

/* Read the messages of a helper from @fd until end of file.  Store as much as fits in
 * @text, with a NUL. */
static void read_helper_message(int fd, char *text, size_t size)
{
	char rest[256];
	size_t len = 0;
	ssize_t n;

	for (;;) {
		n = len + 1 < size ? read(fd, text + len, size - 1 - len) :
				     read(fd, rest, sizeof(rest));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (len + 1 < size)
			len += (size_t)n;
	}
	text[len] = '\0';
}

/*
 * Run fusermount3 with a socket, and a pipe for its standard error.
 * @ret_fd: the descriptor that fusermount3 has sent, or -errno
 * @ret_text: the messages of fusermount3
 * Returns the exit status of fusermount3, or -errno.
 */
static int run_mount_helper(char *const argv[], int *ret_fd, char *ret_text, size_t size)
{
	int sock[2], error[2];
	pid_t pid;

	ret_text[0] = '\0';
	*ret_fd = -EIO;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sock) < 0)
		return -errno;
	if (pipe2(error, O_CLOEXEC) < 0) {
		pid = -errno;
		goto close_sock;
	}
	pid = start_helper(argv, sock[0], error[1]);
	close(error[1]);
	close(sock[0]);
	sock[0] = -1;
	if (pid > 0) {
		*ret_fd = receive_mount_fd(sock[1]);
		read_helper_message(error[0], ret_text, size);
	}
	close(error[0]);
close_sock:
	if (sock[0] >= 0)
		close(sock[0]);
	close(sock[1]);
	return pid < 0 ? pid : wait_for_helper(pid);
}

/* Mount with fusermount3.  Print its messages only if it fails: without /etc/mtab it
 * prints a complaint even if it succeeds. */
static int mount_with_helper(const char *dir, int *ret_fd, enum fusemount_step *ret_step)
{
	char *const argv[] = {
		(char *)HELPER, (char *)"-o",
		(char *)"fsname=tracefs,subtype=tracefs," OPTIONS,
		(char *)"--", (char *)dir, NULL
	};
	char text[512];
	int fd, status;

	*ret_step = FUSEMOUNT_HELPER;
	status = run_mount_helper(argv, &fd, text, sizeof(text));
	if (status == 0 && fd >= 0) {
		*ret_fd = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	if (status == HELPER_MISSING)
		return -ENOENT;
	fputs(text, stderr);
	if (status >= 0)
		*ret_step = FUSEMOUNT_MOUNT;
	return status < 0 ? status : -EPERM;
}

int fusemount_open_as(const char *name, const char *dir, int *ret_fd,
		      enum fusemount_step *ret_step)
{
	int fd, ret;

	*ret_step = FUSEMOUNT_DEVICE;
	fd = open_fuse_device();
	if (fd < 0)
		return fd;
	*ret_step = FUSEMOUNT_MOUNT;
	ret = mount_directly(name, dir, fd);
	if (ret == 0)
		*ret_fd = fd;
	else
		close(fd);
	return ret;
}

int fusemount_open(const char *dir, int *ret_fd, enum fusemount_step *ret_step)
{
	int ret = fusemount_open_as("tracefs", dir, ret_fd, ret_step);

	if (ret == -EPERM && *ret_step == FUSEMOUNT_MOUNT)
		ret = mount_with_helper(dir, ret_fd, ret_step);
	return ret;
}

/*
 * Return true if the message of a helper ends with "busy".  fusermount3 writes "PATH: Device or
 * resource busy", umount(8) writes "PATH: target is busy.".  Only the end is compared, because
 * the path may contain "busy", too.
 */
static bool is_busy_message(const char *text)
{
	static const char word[] = "busy";
	size_t len = strlen(text);

	while (len && strchr(".\n", text[len - 1]))
		len--;
	return len >= strlen(word) && !strncmp(text + len - strlen(word), word, strlen(word));
}

/*
 * Run a helper that unmounts.  A helper fails with the same exit status for every reason,
 * so this function reads the reason from the helper's message, @ret_text.
 * Returns 0; -EBUSY if the mount is in use; -ENOENT if the helper is not installed; -EPERM
 * for any other reason; or -errno if the helper could not be run.
 */
static int run_unmount_helper(char *const argv[], char *ret_text, size_t size)
{
	int pair[2], status;
	pid_t pid;

	ret_text[0] = '\0';
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	pid = start_helper(argv, -1, pair[1]);
	close(pair[1]);
	if (pid > 0)
		read_helper_message(pair[0], ret_text, size);
	close(pair[0]);
	if (pid < 0)
		return pid;
	status = wait_for_helper(pid);
	if (status <= 0)
		return status;
	if (status == HELPER_MISSING)
		return -ENOENT;
	return is_busy_message(ret_text) ? -EBUSY : -EPERM;
}

/*
 * Unmount with fusermount3.  If that fails, try umount(8).  fusermount3 lets a user
 * unmount only the mounts in /etc/mtab, and a minimal system has no such file.
 * umount(8) of util-linux reads mountinfo, and lets users unmount their own FUSE
 * mounts.
 */
static int unmount_with_helpers(const char *dir, bool is_lazy, bool is_quiet)
{
	char *const fuse_argv[] = {
		(char *)HELPER, (char *)(is_lazy ? "-uz" : "-u"),
		(char *)"--", (char *)dir, NULL
	};
	char *const umount_argv[] = {
		(char *)"umount", (char *)(is_lazy ? "-il" : "-i"),
		(char *)"--", (char *)dir, NULL
	};
	char text[512], umount_text[512];
	int ret, umount_ret;

	ret = run_unmount_helper(fuse_argv, text, sizeof(text));
	if (ret == 0 || ret == -EBUSY)
		return ret;
	umount_ret = run_unmount_helper(umount_argv, umount_text, sizeof(umount_text));
	if (umount_ret == 0 || umount_ret == -EBUSY)
		return umount_ret;
	if (!is_quiet)
		fprintf(stderr, "%s%s", text, umount_text);
	return ret;
}

int fusemount_close(const char *dir, bool is_lazy, bool is_quiet)
{
	if (umount2(dir, UMOUNT_NOFOLLOW | (is_lazy ? MNT_DETACH : 0)) == 0)
		return 0;
	if (errno != EPERM)
		return -errno;
	return unmount_with_helpers(dir, is_lazy, is_quiet);
}

/* Decode the escapes of /proc/self/mountinfo in place, for example \040, which stands for a
 * blank. */
static void unescape_mountinfo(char *text)
{
	char *to = text;

	for (; *text; text++, to++) {
		if (text[0] == '\\' && text[1] >= '0' && text[1] <= '3' &&
		    text[2] >= '0' && text[2] <= '7' && text[3] >= '0' && text[3] <= '7') {
			*to = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
				     (text[3] - '0'));
			text += 3;
		} else {
			*to = *text;
		}
	}
	*to = '\0';
}

/* Get the mount point and the type from a line of mountinfo.  @line is changed.  Returns
 * false if the line is malformed. */
static bool parse_mountinfo_line(char *line, char **ret_dir, char **ret_type)
{
	char *type = strstr(line, " - "), *dir = line;
	int i;

	if (!type)
		return false;
	*type = '\0';
	type += 3;
	type[strcspn(type, " \n")] = '\0';
	for (i = 0; i < 4 && dir; i++) {
		dir = strchr(dir, ' ');
		if (dir)
			dir++;
	}
	if (!dir)
		return false;
	dir[strcspn(dir, " ")] = '\0';
	unescape_mountinfo(dir);
	*ret_dir = dir;
	*ret_type = type;
	return true;
}

bool fusemount_is_mounted(const char *dir)
{
	FILE *file = fopen("/proc/self/mountinfo", "re");
	char *line = NULL, *mount_dir, *type;
	bool is_ours = false;
	size_t room = 0;

	if (!file)
		return false;
	/* If several file systems are mounted on @dir, the last line of mountinfo with
	 * @dir describes the topmost one. */
	while (getline(&line, &room, file) > 0) {
		if (parse_mountinfo_line(line, &mount_dir, &type) && strcmp(mount_dir, dir) == 0)
			is_ours = strcmp(type, FUSEMOUNT_TYPE) == 0;
	}
	free(line);
	fclose(file);
	return is_ours;
}

bool fusemount_is_stale(const char *dir)
{
	struct statfs st;

	return statfs(dir, &st) < 0 && errno == ENOTCONN;
}
