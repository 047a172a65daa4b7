/* SPDX-License-Identifier: MIT */
/* Mounting FUSE without libfuse's help; see fusemount.h. */
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
#define HELPER_MISSING	127		/* exit status if exec failed */

bool fusemount_is_device(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode) &&
	       st.st_rdev == makedev(10, 229);
}

static int device_open(void)
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

/* Wait for @pid; its exit status, or -errno. */
static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : -EINTR;
}

static pid_t helper_start(char *const argv[], int keep_fd, bool is_quiet)
{
	pid_t pid = fork();
	char number[16];
	int null;

	if (pid != 0)
		return pid < 0 ? -errno : pid;
	fds_keep(keep_fd);
	if (keep_fd >= 0) {
		snprintf(number, sizeof(number), "%d", keep_fd);
		setenv("_FUSE_COMMFD", number, 1);
		fcntl(keep_fd, F_SETFD, 0);
	}
	null = is_quiet ? open("/dev/null", O_WRONLY) : -1;
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	execvp(argv[0], argv);
	_exit(HELPER_MISSING);
}

/* fusermount3 sends the descriptor that it mounted over our socket. */
static int receive_fd(int sock)
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

static int mount_with_helper(const char *dir, int *ret_fd, enum fusemount_step *ret_step)
{
	char *const argv[] = {
		(char *)HELPER, (char *)"-o",
		(char *)"fsname=tracefs,subtype=tracefs," OPTIONS,
		(char *)"--", (char *)dir, NULL
	};
	int pair[2], fd, status;
	pid_t pid;

	*ret_step = FUSEMOUNT_HELPER;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = helper_start(argv, pair[0], false);
	close(pair[0]);
	if (pid < 0) {
		close(pair[1]);
		return pid;
	}
	fd = receive_fd(pair[1]);
	close(pair[1]);
	status = wait_for(pid);
	if (status == 0 && fd >= 0) {
		*ret_fd = fd;
		return 0;
	}
	if (fd >= 0)
		close(fd);
	if (status == HELPER_MISSING)
		return -ENOENT;
	*ret_step = FUSEMOUNT_MOUNT;
	return status < 0 ? status : -EPERM;
}

int fusemount_open_as(const char *name, const char *dir, int *ret_fd,
		      enum fusemount_step *ret_step)
{
	int fd, ret;

	*ret_step = FUSEMOUNT_DEVICE;
	fd = device_open();
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

int fusemount_close(const char *dir, bool is_lazy, bool is_quiet)
{
	char *const argv[] = {
		(char *)HELPER, (char *)(is_lazy ? "-uz" : "-u"),
		(char *)"--", (char *)dir, NULL
	};
	pid_t pid;
	int status;

	if (umount2(dir, UMOUNT_NOFOLLOW | (is_lazy ? MNT_DETACH : 0)) == 0)
		return 0;
	if (errno != EPERM)
		return -errno;
	pid = helper_start(argv, -1, is_quiet);
	if (pid < 0)
		return pid;
	status = wait_for(pid);
	if (status <= 0)
		return status;
	return status == HELPER_MISSING ? -ENOENT : -EBUSY;
}

/* /proc/self/mountinfo writes blanks and the like as \ooo: undo that. */
static void unescape(char *text)
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

/* Cut a line of mountinfo into its mount point and its type. */
static bool cut(char *line, char **ret_dir, char **ret_type)
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
	unescape(dir);
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
	/* The last line for a directory is the topmost mount. */
	while (getline(&line, &room, file) > 0) {
		if (cut(line, &mount_dir, &type) && strcmp(mount_dir, dir) == 0)
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
