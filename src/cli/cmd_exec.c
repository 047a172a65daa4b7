/* SPDX-License-Identifier: MIT */
/*
 * ulf exec: run a command in a mount namespace in which the directory of a root is
 * mounted in place of the kernel's tracefs.  `ulf exec` calls exec() for the command,
 * in the same process.  So the command gets signals directly, and its exit status is
 * that of `ulf exec`.  The namespace ends when its last process has ended.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/exec_ns.h"
#include "cli/cli_roots.h"

/* Enter the namespace of the root that @word names.  @word NULL: use the only root that is
 * alive. */
static int enter_root_namespace(const char *word)
{
	struct conn conn;
	char *root;
	int ret;

	ret = conn_open(&conn, CONN_START);
	if (ret < 0)
		return ret;
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
	if (enter_root_namespace(word) < 0)
		return CLI_NOT_STARTED;
	execvp(argv[optind], argv + optind);
	status = errno == ENOENT ? CLI_NOT_FOUND : CLI_NOT_STARTED;
	cli_error("%s: %m", argv[optind]);
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
