/* SPDX-License-Identifier: MIT */
/* Write to files of the tree; see tree_write.h. */
#include "cli/tree_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/terminal.h"

void tree_write_init(struct tree_write *write, const char *path, const char *text, int flags)
{
	*write = (struct tree_write){ .path = path, .text = text, .flags = flags };
	text_init(&write->reason, ABI_SOCKET_ANSWER_MAX);
}

void tree_write_done(struct tree_write *write)
{
	text_done(&write->reason);
}

/* Store the data of the server's last answer as the reason why the write had no effect, for
 * messages. */
static void take_reason(const struct conn *conn, struct tree_write *write)
{
	text_reset(&write->reason);
	text_write(&write->reason, conn->data.data, conn->data.len);
}

static int write_whole_value(struct conn *conn, int file, const char *text)
{
	size_t bytes = strlen(text);
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

int tree_write(struct conn *conn, struct tree_write *write)
{
	int file, closed, ret;

	file = conn_file_open(conn, write->path, O_WRONLY | write->flags);
	write->has_opened = file >= 0;
	take_reason(conn, write);
	if (file < 0)
		return file;
	ret = write_whole_value(conn, file, write->text);
	take_reason(conn, write);
	/* Return the result of the write, not of the close, if the write failed.  Its reason
	 * was stored before the close, whose answer replaces the data in @conn. */
	closed = conn_file_close(conn, file);
	if (ret < 0 || !closed)
		return ret;
	take_reason(conn, write);
	return closed;
}

void tree_write_reason(const struct tree_write *write)
{
	struct terminal terminal;

	if (!write->reason.len)
		return;
	terminal_start(&terminal, stderr);
	terminal_write(&terminal, write->reason.data, write->reason.len);
	terminal_end(&terminal);
}

void tree_write_error(const struct tree_write *write, int error)
{
	/* After -EPIPE or -ETIMEDOUT there is no reason from the server: it has ended, or
	 * hangs. */
	if (!write->has_opened || error == -EPIPE || error == -ETIMEDOUT)
		root_path_error(write->path, error);
	else
		cli_error("%s: cannot write `%.*s`: %s", write->path,
			  (int)strcspn(write->text, "\n"), write->text, strerror(-error));
	tree_write_reason(write);
}
