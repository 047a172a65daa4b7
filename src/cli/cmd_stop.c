/* SPDX-License-Identifier: MIT */
/* ulf stop: end the server. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/terminal.h"

/* Wait, up to 10 s, until the server has released its lock.  A server holds the lock until
 * it exits. Returns 0 or -1. */
static int wait_for_server_end(const char *dir)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	char path[DIR_PATH_BYTES + 32];
	int i, fd, ret = -1;

	dir_join(dir, DIR_LOCK, path, sizeof(path));
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		return 0;
	for (i = 0; i < 1000 && ret < 0; i++) {
		ret = flock(fd, LOCK_EX | LOCK_NB);
		if (ret < 0)
			nanosleep(&pause, NULL);
	}
	close(fd);
	return ret;
}

static int cmd_stop(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct abi_request request = { .op = ABI_SOCKET_SHUTDOWN };
	struct conn conn;
	int ret, status;

	if (cli_option(cmd, argc, argv, "h", options, &status) != -1)
		return status;
	if (optind < argc)
		return cli_usage(cmd);
	ret = conn_open(&conn, 0);
	if (ret == -ENOTCONN) {
		terminal_line(stdout, "no server runs in %s", conn.dir);
		return 0;
	}
	if (ret < 0)
		return CLI_FAILED;
	ret = conn_call(&conn, &request, NULL, 0);
	if (ret == -ETIMEDOUT) {
		conn_close(&conn);
		return CLI_FAILED;
	}
	ret = wait_for_server_end(conn.dir);
	if (ret < 0)
		cli_error("the server in %s does not end; `fuser %s/" DIR_LOCK "` shows its "
			  "process, and kill -9 does no harm", conn.dir, conn.dir);
	conn_close(&conn);
	return ret < 0 ? CLI_FAILED : 0;
}

const struct cli_cmd cli_stop = {
	.name = "stop",
	.args = "",
	.summary = "stop the server; programs go on recording",
	.help =
"Unmounts all mounts first.  Settings and records are in shared memory, where the\n"
"next server finds them.\n",
	.is_for_users = true,
	.run = cmd_stop,
};
