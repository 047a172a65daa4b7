/* SPDX-License-Identifier: MIT */
/* Start a server by running this program again, as `ulf server --background`. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fds.h"
#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/terminal.h"
#include "cli/user.h"

#define REPORT_BYTES	4096u		/* maximum number of bytes that are printed of the
					 * messages of another user's server */

/*
 * Prepare this process to become the server of another user (user.h).  After exec() the
 * other user can read the memory of this process and take descriptors from it.  So
 * close all descriptors of user id 0, and leave the session of its terminal.
 */
static int detach_from_terminal(int report_fd)
{
	int null = open("/dev/null", O_RDWR);

	if (null < 0 || setsid() < 0 || dup2(null, STDIN_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0 || dup2(report_fd, STDERR_FILENO) < 0)
		return -errno;
	fds_keep(-1);
	return 0;
}

/* Execute the server in the child process.  @report_fd: pipe for the server's messages; -1:
 * messages go to stderr. */
static void exec_server(const char *dir, int report_fd)
{
	char title[DIR_PATH_BYTES + 32];	/* title of the process that ps(1) shows; see
						 * base/title.h */
	char *const argv[] = {
		title, (char *)"server", (char *)"--background", NULL
	};

	snprintf(title, sizeof(title), "ulf: server %s", dir);
	if (report_fd >= 0 && detach_from_terminal(report_fd) < 0)
		_exit(127);
	setenv("ULF_DIR", dir, 1);
	/* If libulf is preloaded, it must not make a root for the server itself. */
	setenv("ULF_DISABLE", "1", 1);
	execv("/proc/self/exe", argv);
	cli_error("/proc/self/exe: %m; is /proc mounted?");
	_exit(127);
}

/* Print the messages that another user's server writes to the pipe, until the pipe ends.  The
 * server closes the pipe when it is ready, or when it ends. */
static void print_server_messages(int fd)
{
	struct terminal terminal;
	char bytes[1024];
	size_t total = 0;
	ssize_t n;

	terminal_start(&terminal, stderr);
	while (total < REPORT_BYTES && (n = read(fd, bytes, sizeof(bytes))) > 0) {
		terminal_write(&terminal, bytes, (size_t)n);
		total += (size_t)n;
	}
	terminal_end(&terminal);
}

int start_server(const char *dir)
{
	int status, report[2] = { -1, -1 };
	pid_t pid;

	if (user_is_entered() && pipe2(report, O_CLOEXEC) < 0) {
		cli_error("cannot start a server: pipe: %m");
		return -errno;
	}
	pid = fork();
	if (pid == 0)
		exec_server(dir, report[1]);
	if (report[1] >= 0)
		close(report[1]);
	if (pid > 0 && report[0] >= 0)
		print_server_messages(report[0]);
	if (report[0] >= 0)
		close(report[0]);
	if (pid < 0) {
		cli_error("cannot start a server: fork: %m");
		return -errno;
	}
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	/* Print no error if the server could not start: the child process has printed the
	 * reason. */
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : -ECANCELED;
}
