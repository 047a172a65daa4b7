/* SPDX-License-Identifier: MIT */
/* ulf server: run the event loop of the server, in the foreground or in the background. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/title.h"
#include "cli/cli.h"
#include "cli/life.h"
#include "cli/reason.h"
#include "cli/terminal.h"
#include "server/core/dead_limits.h"
#include "daemon/loop.h"

#define READY_FD	3		/* number of a descriptor: the pipe through which a
					 * background server reports the result of its start
					 * to the process that has started it; see
					 * send_start_result() */

static int find_server_directory(char ret_dir[static DIR_PATH_BYTES])
{
	const char *why;
	int ret;

	ret_dir[0] = '\0';
	ret = dir_get(ret_dir);
	if (ret < 0) {
		why = dir_strerror(ret);
		cli_error("the ulf directory %s: %s", ret_dir, why ? why : strerror(-ret));
	}
	return ret;
}

static int report_server_exit(const char *dir, int ret)
{
	if (ret < 0)
		cli_error("server in %s: %s", dir, reason_server(ret));
	return ret < 0 ? CLI_FAILED : 0;
}

static void print_ready(const char *dir)
{
	terminal_line(stderr, "ulf: serving %s until ^C", dir);
}

/* Check the server's settings in ulf.conf, and print the name of a setting that is wrong.
 * The server uses the default in place of a wrong setting. */
static void check_server_settings(const char *dir)
{
	char bad[DEAD_LIMITS_BAD_BYTES];
	struct dead_limits limits;

	dead_limits_load(dir, &limits, bad);
	if (*bad)
		cli_error("ulf.conf: `%s` is not a setting of the server; it is ignored", bad);
}

static int run_in_foreground(const char *dir)
{
	int ret;

	check_server_settings(dir);
	ret = loop_run(dir, print_ready);

	if (ret == -EBUSY) {
		cli_error("a server for %s runs already; `ulf stop` ends it", dir);
		return CLI_FAILED;
	}
	return report_server_exit(dir, ret);
}

/* Detach from the terminal and the working directory, and close all descriptors.  Only
 * @keep_fd stays open, with the number READY_FD.  Messages are written to server.log. */
static void detach_server(const char *dir, int keep_fd)
{
	char path[DIR_PATH_BYTES + 32];
	int null = open("/dev/null", O_RDWR), log;

	dir_join(dir, DIR_LOG, path, sizeof(path));
	log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0600);
	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(log >= 0 ? log : null, STDERR_FILENO);
	dup2(keep_fd, READY_FD);
	close_range(READY_FD + 1, ~0u, 0);
	umask(077);
	if (chdir("/") < 0)
		cli_error("chdir /: %m");
}

/* Write the result of the server's start to the pipe READY_FD, and close the pipe.
 * @result: 0, or the -errno of loop_run().  If the pipe ends without a result, the
 * server was killed.  Only the first call has an effect. */
static void send_start_result(int result)
{
	static bool is_done;

	if (is_done)
		return;
	is_done = true;
	if (write(READY_FD, &result, sizeof(result)) < 0)
		cli_error("the process that started this server has exited: %m");
	close(READY_FD);
}

static void send_ready(const char *dir)
{
	(void)dir;
	send_start_result(0);
}

/* Wait until the server @pid has written the result of its start to the pipe @fd, or
 * the pipe has ended.  Returns false, and prints an error, if the server hangs. */
static bool wait_for_server_start(int fd, pid_t pid, const char *dir)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	struct life life;

	life_begin(&life, pid, false);
	while (poll(&poll_fd, 1, LIFE_CHECK_MS) <= 0)
		if (life_check(&life, dir) < 0)
			return false;
	return true;
}

/* Run the server in this new process, which is detached from the terminal.  Returns the exit
 * status of the server. */
static int run_detached_server(const char *dir, int ready_fd)
{
	int ret;

	setsid();
	detach_server(dir, ready_fd);
	check_server_settings(dir);
	ret = loop_run(dir, send_ready);
	if (ret == -EBUSY)
		ret = 0;	/* EBUSY is not an error: another server has started
				 * meanwhile, and the command uses that server */
	send_start_result(ret);
	return report_server_exit(dir, ret);
}

static int start_in_background(const char *dir)
{
	int ready[2], result;
	pid_t pid;

	if (pipe2(ready, O_CLOEXEC) < 0) {
		cli_error("pipe: %m");
		return CLI_FAILED;
	}
	pid = fork();
	if (pid < 0) {
		cli_error("fork: %m");
		return CLI_FAILED;
	}
	if (pid == 0)
		return run_detached_server(dir, ready[1]);
	close(ready[1]);
	if (!wait_for_server_start(ready[0], pid, dir))
		return CLI_FAILED;
	if (read(ready[0], &result, sizeof(result)) != sizeof(result))
		cli_error("no server could be started for %s; %s/" DIR_LOG " may say why",
			  dir, dir);
	else if (result < 0)
		cli_error("no server could be started for %s: %s", dir,
			  reason_server(result));
	else
		return 0;
	return CLI_FAILED;
}

static int cmd_server(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "background", no_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool is_background = false;
	char dir[DIR_PATH_BYTES];
	int option, status;

	while ((option = cli_option(cmd, argc, argv, "bh", options, &status)) != -1) {
		if (option == -2)
			return status;
		is_background = true;
	}
	if (optind < argc)
		return cli_usage(cmd);
	if (find_server_directory(dir) < 0)
		return CLI_FAILED;
	/*
	 * title_init() needs the memory whose text ps(1) shows.  argv[0] does not point to
	 * this memory any more, because main() has replaced it by "ulf server".  So the
	 * memory begins at program_invocation_name.  It ends after the last argument, which
	 * main() has not replaced, because it is an option.
	 */
	if (is_background)
		title_init(program_invocation_name,
			   (size_t)(argv[argc - 1] + strlen(argv[argc - 1]) + 1 -
				    program_invocation_name));
	title_set("ulf-server", "ulf: server %s", dir);
	return is_background ? start_in_background(dir) : run_in_foreground(dir);
}

const struct cli_cmd cli_server = {
	.name = "server",
	.args = "[--background]",
	.summary = "run the server; other commands start one if none runs",
	.help =
"Serves the mounts and the other commands, in the foreground until ^C.  There is\n"
"one server for each ulf directory.\n"
"\n"
"  -b, --background   return when the server is ready; it logs to server.log in\n"
"                     the ulf directory\n",
	.run = cmd_server,
};
