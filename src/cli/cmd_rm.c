/* SPDX-License-Identifier: MIT */
/* ulf rm: remove dead roots. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/cli_roots.h"

static int request_remove(struct conn *conn, const char *name)
{
	int ret = conn_path(conn, ABI_SOCKET_REMOVE, name);

	if (ret == -EBUSY)
		cli_error("%s is alive; end its program first", name);
	else if (ret < 0)
		cli_error("cannot remove %s: %s", name, strerror(-ret));
	return ret < 0 ? CLI_FAILED : 0;
}

static int remove_dead(struct conn *conn)
{
	struct root_list list;
	int status = 0;
	size_t i;

	if (root_list_get(conn, ABI_LIST_NAMES, &list) < 0)
		return CLI_FAILED;
	for (i = 0; i < list.nr; i++) {
		if ((list.rows[i].state == ABI_ROOT_DEAD ||
		     list.rows[i].state == ABI_ROOT_CORRUPT) &&
		    request_remove(conn, list.rows[i].name))
			status = CLI_FAILED;
	}
	root_list_done(&list);
	return status;
}

static int remove_named(struct conn *conn, const char *word)
{
	char *name;
	int status;

	if (strchr(word, '/')) {
		cli_error("%s is not a root's name; `ulf ls` lists them", word);
		return CLI_FAILED;
	}
	if (root_path(conn, word, &name) < 0)
		return CLI_FAILED;
	status = request_remove(conn, name);
	free(name);
	return status;
}

static int cmd_rm(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "dead", no_argument, NULL, 'd' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool is_dead = false;
	int option, status;
	struct conn conn;

	while ((option = cli_option(cmd, argc, argv, "dh", options, &status)) != -1) {
		if (option == -2)
			return status;
		is_dead = true;
	}
	if (is_dead == (optind < argc))
		return cli_usage(cmd);
	if (conn_open(&conn, CONN_START) < 0)
		return CLI_FAILED;
	status = is_dead ? remove_dead(&conn) : 0;
	for (; optind < argc; optind++) {
		if (remove_named(&conn, argv[optind]))
			status = CLI_FAILED;
	}
	conn_close(&conn);
	return status;
}

const struct cli_cmd cli_rm = {
	.name = "rm",
	.args = "ROOT... | --dead",
	.summary = "remove dead roots and their records",
	.help =
"  -d, --dead         remove all roots that are dead or corrupt\n"
"\n"
"A root whose program is alive cannot be removed.\n",
	.is_for_users = true,
	.run = cmd_rm,
};
