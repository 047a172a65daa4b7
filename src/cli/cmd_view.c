/* SPDX-License-Identifier: MIT */
/* ulf view: write an HTML file that shows the records of files. */
#include <errno.h>
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/dat_files.h"
#include "cli/dat_output.h"
#include "export/export_view.h"

/* Maximum number of records.  A browser needs about 30 bytes of memory for each record. */
#define RECORDS_MAX	5000000u

struct view_cmd {
	struct export_settings settings;
	struct view_settings view;
	const char *path;
};

static int set_max_records(struct view_cmd *cmd, const char *value)
{
	char *end;

	errno = 0;
	cmd->view.max_records = strtoull(value, &end, 10);
	if (end != value && !*end && !errno && *value >= '0' && *value <= '9')
		return 0;
	cli_error("--max-records: `%s` is no number", value);
	return -EINVAL;
}

static int apply_option(struct view_cmd *cmd, int option)
{
	struct dat_selection *selection = &cmd->settings.selection;

	switch (option) {
	case 'n':
		return set_max_records(cmd, optarg);
	case 'o':
		cmd->path = optarg;
		return 0;
	case 'e':
		selection->events = optarg;
		return 0;
	case 'f':
		selection->filter = optarg;
		return 0;
	case 's':
		return dat_files_time("--since", optarg, &selection->since);
	default:
		return dat_files_time("--until", optarg, &selection->until);
	}
}

static int cmd_view(const struct cli_cmd *cli, int argc, char **argv)
{
	static const struct option options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "event", required_argument, NULL, 'e' },
		{ "filter", required_argument, NULL, 'f' },
		{ "since", required_argument, NULL, 's' },
		{ "until", required_argument, NULL, 'u' },
		{ "max-records", required_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct view_cmd cmd = {
		.settings.selection.until = UINT64_MAX, .view.max_records = RECORDS_MAX,
	};
	struct dat_files files = { 0 };
	int option, status = CLI_USAGE;

	cmd.settings.arg = &cmd.view;
	while ((option = cli_option(cli, argc, argv, "o:e:f:s:u:n:h", options, &status)) != -1)
		if (option == -2 || apply_option(&cmd, option))
			return option == -2 ? status : CLI_USAGE;
	status = dat_files_open(&files, argc - optind, argv + optind) ? CLI_FAILED :
		 dat_output(&files, &export_view, &cmd.settings, cmd.path);
	dat_files_close(&files);
	return status;
}

const struct cli_cmd cli_view = {
	.name = "view",
	.args = "[-o OUTPUT] [-e EVENTS] [-f FILTER] [OPTIONS] [FILE]...",
	.summary = "write an HTML file that shows the records of files",
	.help =
"Writes one HTML file that shows the records of trace.dat files in a browser: a\n"
"timeline of CPUs and threads with their calls and events, a flame graph, and a table\n"
"of times.  The file needs no network and no other file.  Several inputs are merged by\n"
"time.  Without FILE: trace.dat.\n"
"\n"
"  -o, --output=OUTPUT   the file to write; -: stdout.  Without it: FILE with .html\n"
"  -e, --event=EVENTS    show these events: sys:event, sys:*, sys, event; with commas\n"
"  -f, --filter=FILTER   show records that pass the filter; events that lack a field\n"
"                        of it are not shown\n"
"  -s, --since=TIME      show records from this time on, in seconds\n"
"  -u, --until=TIME      show records up to this time\n"
"  -n, --max-records=N   write at most N records, else fail; 5000000 without it, for\n"
"                        which a browser needs about 200 MB\n"
"\n"
"In the page: w s zoom, a d move, as does the mouse; / searches; ? lists all keys.\n"
"\n"
"Example:  ulf record -o app.dat -p function_graph -- ./app\n"
"          ulf view app.dat && xdg-open app.dat.html\n",
	.run = cmd_view,
};
