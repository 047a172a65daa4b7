/* SPDX-License-Identifier: MIT */
/* ulf archive: write what a root has recorded until now to a trace.dat. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/conn.h"
#include "cli/recorder.h"

static int archive(struct conn *conn, struct record_settings *settings)
{
	struct record_session *session;
	uint32_t nr_files;
	int r = record_start(settings, &session);

	if (r)
		return r;
	r = record_stop(session, conn, &nr_files);
	record_free(session);
	if (!r && !nr_files) {
		cli_error("%s has recorded nothing%s%s", *settings->roots,
			  *settings->instance ? " to the instance " : "", settings->instance);
		r = -ENOENT;
	}
	return r;
}

static int cmd_archive(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "instance", required_argument, NULL, 'i' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct record_settings settings = {
		.path = "trace.dat", .instance = "", .is_archive = true,
	};
	int option, status = CLI_FAILED;
	struct conn conn;
	char *root;

	while ((option = cli_option(cmd, argc, argv, "o:i:h", options, &status)) != -1) {
		if (option == -2)
			return status;
		*(option == 'o' ? &settings.path : &settings.instance) = optarg;
	}
	if (argc - optind != 1 || strchr(argv[optind], '/'))
		return cli_usage(cmd);
	status = CLI_FAILED;
	if (!conn_open(&conn, CONN_START) && !root_path(&conn, argv[optind], &root)) {
		settings.dir = conn.dir;
		settings.roots = &root;
		settings.nr_roots = 1;
		status = archive(&conn, &settings) ? CLI_FAILED : 0;
		free(root);
	}
	conn_close(&conn);
	return status;
}

const struct cli_cmd cli_archive = {
	.name = "archive",
	.args = "[-o FILE] [-i INSTANCE] ROOT",
	.summary = "write what a root has recorded to a file",
	.help =
"Writes the records that ROOT has now, dead or alive, to a file that `ulf report`\n"
"and trace-cmd open, on another machine, too.  The root does not change.  ROOT may\n"
"be shortened as in `ulf help cat`.\n"
"\n"
"  -o, --output=FILE  file to write; default: trace.dat\n"
"  -i, --instance=NAME  write the records of an instance\n",
	.run = cmd_archive,
};
