/* SPDX-License-Identifier: MIT */
/*
 * ulf exec: run a command in a mount namespace in which the directory of a root is
 * mounted in place of the kernel's tracefs.  `ulf exec` calls exec() for the command,
 * in the same process.  So the command gets signals directly, and its exit status is
 * that of `ulf exec`.  The namespace ends when its last process has ended.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/exec_ns.h"
#include "cli/cli_roots.h"

static bool is_root_name(struct conn *conn, const char *word)
{
	struct root_list list;
	bool is_root;

	if (root_list_fetch(conn, ABI_LIST_NAMES, 0, &list) < 0)
		return false;
	is_root = root_list_search(&list, word, strlen(word));
	root_list_done(&list);
	return is_root;
}

/*
 * Enter the namespace of the root that @word names.  @word NULL: use the only root that is
 * alive.
 * @ret_is_root: true if @command, the first word of the command, is also the name of a
 *	root; set even after an error
 */
static int enter_root_namespace(const char *word, const char *command, bool *ret_is_root)
{
	struct conn conn;
	char *root;
	int ret;

	ret = conn_open(&conn, CONN_START);
	if (ret < 0)
		return ret;
	*ret_is_root = !word && is_root_name(&conn, command);
	if (word && strchr(word, '/')) {
		cli_error("%s: give a root, not a directory in it: a tool needs all files "
			  "of a root", word);
		ret = -EINVAL;
	} else {
		ret = word ? root_path(&conn, word, &root) : root_default(&conn, &root);
	}
	if (!ret) {
		ret = exec_ns_enter(&conn, root);
		free(root);
	}
	conn_close(&conn);
	return ret;
}

static int cmd_exec(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *word = NULL;
	bool is_root = false;
	int status;

	if (cli_option(cmd, argc, argv, "+h", options, &status) == -2)
		return status;
	/* If the second argument is `--`, the first argument is the name of a root. */
	if (strcmp(argv[optind - 1], "--") != 0 && argc - optind >= 2 &&
	    strcmp(argv[optind + 1], "--") == 0) {
		word = argv[optind];
		optind += 2;
	}
	if (optind >= argc)
		return cli_usage(cmd);
	if (enter_root_namespace(word, argv[optind], &is_root) < 0) {
		status = CLI_NOT_STARTED;
	} else {
		execvp(argv[optind], argv + optind);
		status = errno == ENOENT ? CLI_NOT_FOUND : CLI_NOT_STARTED;
		cli_error("%s: %m", argv[optind]);
	}
	if (is_root)
		cli_error("%s is a root: write `ulf exec %s -- COMMAND`", argv[optind],
			  argv[optind]);
	return status;
}

const struct cli_cmd cli_exec = {
	.name = "exec",
	.args = "[[ROOT] --] COMMAND [ARGS]",
	.summary = "run a kernel tracing tool on a root: ulf exec trace-cmd ...",
	.help =
"Runs COMMAND so that it finds the directory of ROOT in /sys/kernel/tracing,\n"
"where the kernel has its tracefs.  Without ROOT, the only root that is alive is\n"
"used.  ROOT may be shortened as in `ulf help cat`.  Other processes do not see\n"
"this mount, and no `ulf mount` is needed before.\n"
"\n"
"Needs /dev/fuse and, unless you are root, user namespaces.\n"
"\n"
"Example:  ulf exec trace-cmd record -e sched sleep 1\n"
"          trace-cmd report\n",
	.run = cmd_exec,
};
