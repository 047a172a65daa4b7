/* SPDX-License-Identifier: MIT */
/* ulf export: write the records of files in the formats of other programs. */
#include <errno.h>
#include <stdlib.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/dat_files.h"
#include "cli/dat_output.h"

#define NAMES_BYTES	1024u

struct export_cmd {
	struct export_settings settings;
	const struct export_format *format;
	const char *path;
};

static int set_format(struct export_cmd *cmd, const char *name)
{
	struct text names;

	cmd->format = export_format_find(name);
	if (cmd->format)
		return 0;
	text_init(&names, NAMES_BYTES);
	export_formats_print(&names);
	cli_error("there is no format `%s`; the formats are:%s", name, text_str(&names));
	text_done(&names);
	return -EINVAL;
}

static int add_counter(struct export_cmd *cmd, const char *name)
{
	if (cmd->settings.nr_counters == EXPORT_COUNTERS_MAX) {
		cli_error("--counter: more than %d counters", EXPORT_COUNTERS_MAX);
		return -E2BIG;
	}
	cmd->settings.counters[cmd->settings.nr_counters++] = name;
	return 0;
}

static int apply_option(struct export_cmd *cmd, int option)
{
	struct dat_selection *selection = &cmd->settings.selection;

	switch (option) {
	case 't':
		return set_format(cmd, optarg);
	case 'c':
		return add_counter(cmd, optarg);
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

/* Without the option --to, the suffix of the output's name selects the format. */
static int find_format(struct export_cmd *cmd)
{
	if (!cmd->format && cmd->path)
		cmd->format = export_format_of(cmd->path);
	if (cmd->format)
		return 0;
	if (!cmd->path)
		return set_format(cmd, "perfetto");
	cli_error("%s: the name does not select a format; use --to, or one of the suffixes of "
		  "`ulf help export`", cmd->path);
	return -EINVAL;
}

static int cmd_export(const struct cli_cmd *cli, int argc, char **argv)
{
	static const struct option options[] = {
		{ "to", required_argument, NULL, 't' },
		{ "output", required_argument, NULL, 'o' },
		{ "event", required_argument, NULL, 'e' },
		{ "filter", required_argument, NULL, 'f' },
		{ "since", required_argument, NULL, 's' },
		{ "until", required_argument, NULL, 'u' },
		{ "counter", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct export_cmd cmd = { .settings.selection.until = UINT64_MAX };
	struct dat_files files = { 0 };
	int option, status = CLI_USAGE;

	while ((option = cli_option(cli, argc, argv, "t:o:e:f:s:u:c:h", options, &status)) != -1)
		if (option == -2 || apply_option(&cmd, option))
			return option == -2 ? status : CLI_USAGE;
	if (find_format(&cmd))
		return CLI_USAGE;
	status = dat_files_open(&files, argc - optind, argv + optind) ? CLI_FAILED :
		 dat_output(&files, cmd.format, &cmd.settings, cmd.path);
	dat_files_close(&files);
	return status;
}

const struct cli_cmd cli_export = {
	.name = "export",
	.args = "[-t FORMAT] [-o OUTPUT] [-e EVENTS] [-f FILTER] [OPTIONS] [FILE]...",
	.summary = "write the records of files in the formats of other programs",
	.help =
"Writes the records of trace.dat files in a format that another program reads.\n"
"Several files are merged by time.  Without FILE: trace.dat.\n"
"\n"
"  -t, --to=FORMAT       perfetto: Perfetto's own format (.pftrace), the default\n"
"                        json: JSON of Chrome's trace viewer, for small traces (.json)\n"
"                        csv: a line for each call and event (.csv)\n"
"                        folded: stacks of functions with their times in ns (.folded)\n"
"                        svg: a flame graph, for browsers (.svg)\n"
"                        ctf: Common Trace Format 1.8, a directory for Babeltrace\n"
"                        and Trace Compass (.ctf)\n"
"  -o, --output=OUTPUT   the file, or directory, to write; its suffix may select the\n"
"                        format; -: stdout.  Without it: FILE with the format's suffix\n"
"  -e, --event=EVENTS    write these events: sys:event, sys:*, sys, event; with commas\n"
"  -f, --filter=FILTER   write records that pass the filter; events that lack a field\n"
"                        of it are not written\n"
"  -s, --since=TIME      write records from this time on, in seconds\n"
"  -u, --until=TIME      write records up to this time\n"
"  -c, --counter=FIELD   also draw a field of an event as a counter:\n"
"                        [SYSTEM:]EVENT.FIELD; perfetto and json\n"
"\n"
"Example:  ulf record -o app.dat -p function_graph -- ./app\n"
"          ulf export app.dat                  # then open app.dat.pftrace\n"
"          ulf export -o app.svg app.dat       # at https://ui.perfetto.dev\n",
	.choices = "FORMAT: perfetto json csv folded svg ctf",
	.run = cmd_export,
};
