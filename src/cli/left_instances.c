/* SPDX-License-Identifier: MIT */
#include "cli/left_instances.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/conn.h"

#define PATH_BYTES	1024

void left_instances_remove(struct conn *conn, const char *root, const char *prefix)
{
	size_t len = strlen(prefix);
	char path[PATH_BYTES];
	struct text names;

	snprintf(path, sizeof(path), "%s/instances", root);
	if (conn_path(conn, ABI_SOCKET_READDIR, path) < 0)
		return;
	text_init(&names, ABI_SOCKET_ANSWER_MAX);
	text_write(&names, conn->data.data, conn->data.len);
	text_putc(&names, '\0');
	/* Each entry consists of the character d or -, a name and a NUL. */
	for (const char *at = names.data, *end = at + names.len - 1; at < end;
	     at += strlen(at) + 1) {
		int pid = *at == 'd' && !strncmp(at + 1, prefix, len) ? atoi(at + 1 + len) : 0;

		if (pid <= 0 || !kill(pid, 0) || errno != ESRCH)
			continue;
		snprintf(path, sizeof(path), "%s/instances/%s%d", root, prefix, pid);
		conn_path(conn, ABI_SOCKET_RMDIR, path);
	}
	text_done(&names);
}
