/* SPDX-License-Identifier: MIT */
/*
 * The process that mounts for the server; see mounter.h.
 *
 *	server			mounter			worker, one per request
 *	'R' PATH  ------------>	fork()  -------------->	`ulf mount --restore PATH`
 *	'R'       <--------------------------------------	when that has ended
 *
 * A request and an answer are one packet each.  A worker hangs if its path leads
 * through a mount that no process serves.  Other workers are not delayed by that.
 */
#include "daemon/mounter.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "base/fusemount.h"
#include "base/title.h"

#define SOCKET_FD	3		/* descriptor number of the socket in the mounter; the
					 * mounter has no other descriptors than this one and
					 * 0 to 2 */

struct request {
	char op;
	char path[PATH_MAX];
};

/* ---- functions of a worker process, which handles one request ---- */

static void restore_mounts(char *path)
{
	char *const argv[] = {
		(char *)"ulf", (char *)"mount", (char *)"--restore", path, NULL
	};
	pid_t pid = fork();

	if (pid == 0) {
		fds_keep(-1);
		execv("/proc/self/exe", argv);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

/* Unmount @path, but only if it is a mount of ulf.  The check is needed because an
 * attacker who has taken over the server must not be able to unmount other file systems. */
static void unmount_path(const char *path)
{
	if (fusemount_is_mounted(path))
		fusemount_close(path, true, true);
}

static void set_signals(void (*handler)(int))
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD };
	size_t i;

	for (i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		signal(signals[i], handler);
}

static _Noreturn void run_command(struct request *request)
{
	set_signals(SIG_DFL);
	fcntl(SOCKET_FD, F_SETFD, FD_CLOEXEC);
	if (request->op == MOUNTER_RESTORE)
		restore_mounts(request->path);
	else if (request->op == MOUNTER_UNMOUNT)
		unmount_path(request->path);
	send(SOCKET_FD, &request->op, 1, MSG_NOSIGNAL);
	_exit(0);
}

/* ---- functions of the mounter process ---- */

/*
 * Serve requests of the server.  SIGINT, SIGTERM and similar signals are ignored, because
 * ^C and service managers send them to the whole process group.  After such a signal the
 * mounter is still needed for the server's last requests.  SIGCHLD is ignored, too, so
 * that the kernel reaps the workers.
 */
static _Noreturn void serve_commands(const char *dir, int fd)
{
	struct request request;
	sigset_t none;
	ssize_t len;

	dup2(fd, SOCKET_FD);
	close_range(SOCKET_FD + 1, ~0u, 0);
	title_set("ulf-mounter", "ulf: mounter %s", dir);
	setenv("ULF_DIR", dir, 1);
	set_signals(SIG_IGN);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	for (;;) {
		len = recv(SOCKET_FD, &request, sizeof(request) - 1, 0);
		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
			_exit(0);	/* exit, because the server has exited: there will
					 * be no more requests */
		((char *)&request)[len] = '\0';
		if (len > 1 && request.path[0] == '/' && fork() == 0)
			run_command(&request);
	}
}

/* ---- functions that the server calls ---- */

int mounter_start(const char *dir, pid_t *ret_pid)
{
	int pair[2], error;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -errno;
	pid = fork();
	if (pid == 0)
		serve_commands(dir, pair[1]);
	error = errno;
	close(pair[1]);
	*ret_pid = pid;
	if (pid > 0)
		return pair[0];
	close(pair[0]);
	return -error;
}

void mounter_stop(int fd, pid_t pid)
{
	if (fd < 0)
		return;
	close(fd);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

int mounter_ask(int fd, enum mounter_op op, const char *path)
{
	struct request request = { .op = (char)op };
	size_t len = strlen(path);

	if (len >= sizeof(request.path))
		return -ENAMETOOLONG;
	memcpy(request.path, path, len);
	return send(fd, &request, len + 1, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int mounter_answer(int fd, int wait_ms)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	ssize_t len;
	char op;

	if (fd < 0)
		return -EPIPE;
	if (poll(&poll_fd, 1, wait_ms) <= 0)
		return -EAGAIN;
	len = recv(fd, &op, 1, MSG_DONTWAIT);
	if (len < 0)
		return errno == EINTR ? -EAGAIN : -errno;
	return len == 1 ? op : -EPIPE;
}
