/* SPDX-License-Identifier: MIT */
/*
 * If a program of `ulf run` cannot make its root, it reports this to the server, but only if
 * the directory is private to its user.  In another directory the socket may belong to
 * anybody.
 */
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define CREATE_TRACE_POINTS
#include "rt_trace.h"
#include "lib/check.h"
#include "lib/command.h"

#define FILE_BYTES_MAX	4096

/* Start this program again, where it cannot make a root in @dir.  Returns true if it connects
 * to the socket @listener. */
static bool connects(int listener, const char *dir)
{
	struct rlimit limit = { FILE_BYTES_MAX, FILE_BYTES_MAX };
	struct pollfd poll_fd = { .fd = listener, .events = POLLIN };
	pid_t pid = fork();
	int status, fd;

	CHECK(pid >= 0);
	if (!pid) {
		CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
		CHECK(!setenv("ULF_DIR", dir, 1) && !setenv("ULF_HOLD", "7", 1));
		execl("/proc/self/exe", "not_ours", "again", NULL);
		_exit(1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	if (poll(&poll_fd, 1, 0) <= 0)
		return false;
	fd = accept(listener, NULL, NULL);
	CHECK(fd >= 0);
	close(fd);
	return true;
}

int main(int argc, char **argv)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = "dir/server.sock" };
	char dir[sizeof(addr.sun_path)];
	int listener;

	(void)argv;
	trace_rt_hit(0, 0);
	if (argc > 1)
		return 0;
	CHECK(!chdir(command_env("TMPDIR")));
	CHECK(!mkdir("dir", 0700));
	snprintf(dir, sizeof(dir), "%s/dir", command_env("TMPDIR"));
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	CHECK(listener >= 0);
	CHECK(!bind(listener, (struct sockaddr *)&addr, sizeof(addr)));
	CHECK(!listen(listener, 8));

	CHECK(connects(listener, dir));
	CHECK(!connects(listener, "dir"));
	CHECK(!chmod(dir, 0755));
	CHECK(!connects(listener, dir));
	CHECK(!chmod(dir, 0700));
	CHECK(!symlink("dir", "link"));
	snprintf(dir, sizeof(dir), "%s/link", command_env("TMPDIR"));
	CHECK(!connects(listener, dir));
	return 0;
}
