/* SPDX-License-Identifier: MIT */
/* ulf echo: write a value to a file of the tree. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/cli_roots.h"
#include "cli/terminal.h"

/* Print the reason of a failed write, and a line with a caret, as error_log shows them.
 * The server has sent both with its answer to the write. */
static void say_reason(const struct text *reason)
{
	struct terminal terminal;

	if (!reason->len)
		return;
	terminal_start(&terminal, stderr);
	terminal_write(&terminal, reason->data, reason->len);
	terminal_end(&terminal);
}

static int write_whole_value(struct conn *conn, int file, const char *text, size_t bytes)
{
	int ret;

	do {
		ret = conn_file_write(conn, file, text, bytes);
		if (ret < 0)
			return ret;
		text += ret;
		bytes -= (size_t)ret;
	} while (bytes && ret);
	return 0;
}

static void say_refused(const char *path, const char *text, int error,
			const struct text *reason)
{
	/* Here the server did not refuse the value: the server has ended or hangs. */
	if (error == -EPIPE || error == -ETIMEDOUT) {
		root_path_error(path, error);
		return;
	}
	cli_error("%s: cannot write `%.*s`: %s", path, (int)strcspn(text, "\n"), text,
		  strerror(-error));
	say_reason(reason);
}

/* Warn that a write had no effect.  This is only a warning, because the kernel also accepts
 * such a write. */
static void say_no_effect(const char *path, const char *text, const struct text *reason)
{
	cli_error("%s: `%.*s` was accepted but has no effect", path,
		  (int)strcspn(text, "\n"), text);
	say_reason(reason);
}

/* Write @text and close the file.  Print the reason of a failed write before the close,
 * because the server's answer to the close replaces the reason in @conn. */
static int write_and_close(struct conn *conn, int file, const char *path, const char *text)
{
	int closed, ret = write_whole_value(conn, file, text, strlen(text));

	if (ret < 0)
		say_refused(path, text, ret, &conn->data);
	else if (conn->data.len)
		say_no_effect(path, text, &conn->data);
	closed = conn_file_close(conn, file);
	if (ret < 0 || !closed)
		return ret;
	say_refused(path, text, closed, &conn->data);
	return closed;
}

static int echo_to_path(struct conn *conn, const char *text, const char *word, int flags)
{
	char *path;
	int file, ret;

	ret = root_path(conn, word, &path);
	if (ret < 0)
		return ret;
	file = conn_file_open(conn, path, O_WRONLY | flags);
	if (file < 0) {
		ret = file;
		root_path_error(path, ret);
		say_reason(&conn->data);
	} else {
		ret = write_and_close(conn, file, path, text);
	}
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
