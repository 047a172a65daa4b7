/* SPDX-License-Identifier: MIT */
/* ulf cat: print files of the tree. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/cli_roots.h"
#include "cli/terminal.h"

/* Print a file of the tree to stdout.  Stdout is flushed after each read, because the file
 * may be a stream. */
static int copy_file_to_stdout(struct conn *conn, int file)
{
	struct terminal terminal;
	uint64_t offset = 0;
	int ret;

	terminal_start(&terminal, stdout);
	while ((ret = conn_file_read(conn, file, offset)) > 0) {
		terminal_write(&terminal, conn->data.data, conn->data.len);
		if (fflush(stdout) == EOF || ferror(stdout))
			return -EIO;
		offset += (uint64_t)ret;
	}
	terminal_end(&terminal);
	return ret;
}

static int cat_path(struct conn *conn, const char *word)
{
	char *path;
	int file, ret;

	ret = root_path(conn, word, &path);
	if (ret < 0)
		return ret;
	file = conn_file_show(conn, path, terminal_is(stdout));
	ret = file < 0 ? file : copy_file_to_stdout(conn, file);
	if (file >= 0)
		conn_file_close(conn, file);
	if (ret < 0 && !ferror(stdout))
		root_path_typed_error(conn, path, ret);
	free(path);
	return ret;
}

static int cmd_cat(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct conn conn;
	int status = 0;

	if (cli_option(cmd, argc, argv, "h", options, &status) != -1)
		return status;
	if (optind == argc)
		return cli_usage(cmd);
	if (conn_open(&conn, CONN_START) < 0)
		return CLI_FAILED;
	for (; optind < argc && !ferror(stdout); optind++) {
		if (cat_path(&conn, argv[optind]) < 0)
			status = CLI_FAILED;
	}
	conn_close(&conn);
	return status;
}

const struct cli_cmd cli_cat = {
	.name = "cat",
	.args = "PATH...",
	.summary = "print files of the tree, without a mount",
	.help =
"PATH is a root, as `ulf ls` names it, and a file: minikernel.4711/trace.\n"
"A root may be shortened to its program's name or its process id if that is\n"
"unique: minikernel/trace, 4711/trace.  A read of trace_pipe waits for more\n"
"records until ^C.\n",
	.is_for_users = true,
	.may_take_long = true,
	.run = cmd_cat,
};
