/* SPDX-License-Identifier: MIT */
/* ulf echo: write a value to a file of the tree. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/cli_roots.h"
#include "cli/tree_write.h"

static int echo_to_path(struct conn *conn, const char *text, const char *word, int flags)
{
	struct tree_write write;
	char *path;
	int ret;

	ret = root_path(conn, word, &path);
	if (ret < 0)
		return ret;
	tree_write_init(&write, path, text, flags);
	ret = tree_write(conn, &write);
	if (ret == -ENOENT && !write.has_opened) {
		root_path_typed_error(conn, path, ret);
	} else if (ret < 0) {
		tree_write_error(&write, ret);
	} else if (write.reason.len) {
		/* Print only a warning, because the kernel also accepts such a write. */
		cli_error("%s: `%.*s` was accepted, but", path,
			  (int)strcspn(text, "\n"), text);
		tree_write_reason(&write);
	}
	tree_write_done(&write);
	free(path);
	return ret;
}

static int cmd_echo(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "append", no_argument, NULL, 'a' },
		{ "no-newline", no_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status, flags = O_TRUNC;
	const char *end = "\n";
	struct conn conn;
	char *text;

	while ((option = cli_option(cmd, argc, argv, "+anh", options, &status)) != -1) {
		if (option == -2)
			return status;
		if (option == 'a')
			flags = O_APPEND;
		else
			end = "";
	}
	if (argc - optind != 2)
		return cli_usage(cmd);
	if (asprintf(&text, "%s%s", argv[optind], end) < 0) {
		cli_error("out of memory");
		return CLI_FAILED;
	}
	if (conn_open(&conn, CONN_START) < 0) {
		free(text);
		return CLI_FAILED;
	}
	status = echo_to_path(&conn, text, argv[optind + 1], flags) < 0 ? CLI_FAILED : 0;
	free(text);
	conn_close(&conn);
	return status;
}

const struct cli_cmd cli_echo = {
	.name = "echo",
	.args = "[-a] [-n] VALUE PATH",
	.summary = "write a value to a file of the tree, without a mount",
	.help =
"Writes VALUE as `echo VALUE > PATH` does in a mounted tree; for PATH see\n"
"`ulf help cat`.  If the file refuses the value, the reason is printed, with a\n"
"caret under the mistake.\n"
"\n"
"  -a, --append       do not truncate the file, as `>>` does\n"
"  -n, --no-newline   write no newline after VALUE\n"
"\n"
"Example:  ulf echo 1 minikernel/events/sched/enable\n",
	.is_for_users = true,
	.run = cmd_echo,
};
