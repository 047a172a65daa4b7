/* SPDX-License-Identifier: MIT */
/* ulf report: print the records of trace.dat files. */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/escape.h"
#include "base/text.h"
#include "cli/cli.h"
#include "cli/dat_files.h"
#include "cli/report.h"
#include "cli/terminal.h"

#define TEXT_BYTES	(64u << 20)
#define FLUSH_BYTES	(256u << 10)	/* size of the collected lines at which they are
					 * written, bytes */
#define COLOUR_EVENT	"\033[1;36m"
#define COLOUR_LOST	"\033[1;31m"
#define COLOUR_HEAD	"\033[2m"
#define COLOUR_OFF	"\033[0m"

struct report_cmd {
	struct report_settings settings;
	struct dat_files files;
	bool is_stats, has_no_pager;
	FILE *out;			/* stdout, or the pager */
	bool is_pager;
	struct text lines, safe;	/* @lines: collected lines; @safe: a copy of them
					 * without control characters, for a terminal */
};

/* ---- write lines ---- */

/* Write a line with colours.  The name of the event is the text between the time and the next
 * colon. */
static void write_coloured(FILE *out, const char *line, size_t len)
{
	const char *end = line + len, *name = memmem(line, len, ": ", 2), *colon;

	if (*line == '#' || !strncmp(line, "CPU:", len < 4 ? len : 4)) {
		fprintf(out, "%s%.*s%s", *line == '#' ? COLOUR_HEAD : COLOUR_LOST, (int)len, line,
			COLOUR_OFF);
		return;
	}
	colon = name ? memchr(name + 2, ':', (size_t)(end - name - 2)) : NULL;
	if (!colon || !memchr(line, '[', (size_t)(name - line))) {
		fwrite(line, 1, len, out);
		return;
	}
	name += 2;
	fwrite(line, 1, (size_t)(name - line), out);
	fprintf(out, COLOUR_EVENT "%.*s" COLOUR_OFF, (int)(colon - name), name);
	fwrite(colon, 1, (size_t)(end - colon), out);
}

static void write_for_terminal(struct report_cmd *cmd)
{
	const char *line, *end, *eol;

	text_reset(&cmd->safe);
	escape_text(cmd->lines.data, cmd->lines.len, ESCAPE_END, &cmd->safe);
	line = cmd->safe.data;
	end = line + cmd->safe.len;
	for (; line < end; line = eol + 1) {
		eol = memchr(line, '\n', (size_t)(end - line));
		if (!eol)
			eol = end - 1;
		if (eol > line)
			write_coloured(cmd->out, line, (size_t)(eol - line));
		putc('\n', cmd->out);
	}
}

/* Write the collected lines.  Returns 0; or -EPIPE if nobody reads the output any more. */
static int write_lines(struct report_cmd *cmd)
{
	if (cmd->settings.is_terminal && cmd->lines.len)
		write_for_terminal(cmd);
	else
		fwrite(cmd->lines.data, 1, cmd->lines.len, cmd->out);
	text_reset(&cmd->lines);
	return ferror(cmd->out) ? -EPIPE : 0;
}

/* If stdout is a terminal, start a pager for the lines. */
static void start_pager(struct report_cmd *cmd)
{
	const char *pager = getenv("PAGER");

	cmd->out = stdout;
	cmd->settings.is_terminal = terminal_is(stdout);
	if (!cmd->settings.is_terminal || cmd->has_no_pager || (pager && !*pager))
		return;
	setenv("LESS", "FRX", 0);
	signal(SIGPIPE, SIG_IGN);
	cmd->out = popen(pager ? pager : "less", "we");
	cmd->is_pager = cmd->out;
	if (!cmd->out)
		cmd->out = stdout;
}

/* Write the last lines, and wait until the pager has ended.  Returns the exit status of the
 * command for @r, which is 0 or -errno. */
static int end_output(struct report_cmd *cmd, int r)
{
	bool has_failed = write_lines(cmd) || fflush(cmd->out);

	if (cmd->is_pager) {
		pclose(cmd->out);
		has_failed = false;	/* not an error: the user has left the pager before
					 * the end */
	}
	return r < 0 || has_failed ? CLI_FAILED : 0;
}

/* ---- print records ---- */

static int print_records(struct report_cmd *cmd)
{
	struct report *report;
	int r = report_new(cmd->files.files, cmd->files.nr, &cmd->settings, &report);

	if (r)
		return r;
	report_header(report, &cmd->lines);
	while ((r = report_next(report, &cmd->lines)) > 0)
		if (cmd->lines.len >= FLUSH_BYTES && write_lines(cmd))
			break;
	report_free(report);
	if (r < 0)
		cli_error("a file is broken after the records that were printed: %s", strerror(-r));
	return r < 0 ? r : 0;
}

/* ---- print numbers ---- */

static void print_time(const char *what, uint64_t time, struct text *out)
{
	text_printf(out, "%s %" PRIu64 ".%06" PRIu64 "\n", what, time / 1000000000,
		    time / 1000 % 1000000);
}

static void print_fact(const struct datfile *file, const char *key, struct text *out)
{
	const char *fact = datfile_fact(file, key);

	if (fact)
		text_printf(out, "%-8s %s\n", key, fact);
}

static int print_stats(struct report_cmd *cmd, struct datfile *file)
{
	static const char *const facts[] = {
		"root", "tracer", "options", "written", "saved", "lost",
	};
	struct text *out = &cmd->lines;
	struct report_stats stats;
	int r = report_stats(file, &stats);

	if (r < 0) {
		cli_error("%s: %s", datfile_path(file), strerror(-r));
		return r;
	}
	text_printf(out, "%-8s %s\n", "file", datfile_path(file));
	for (size_t i = 0; i < sizeof(facts) / sizeof(facts[0]); i++)
		print_fact(file, facts[i], out);
	if (stats.records) {
		print_time("first   ", stats.first, out);
		print_time("last    ", stats.last, out);
	}
	text_printf(out, "%-8s %" PRIu64 "\n%-8s %" PRIu64 "\n\n%12s %14s  EVENT\n", "records",
		    stats.records, "size", stats.bytes, "RECORDS", "BYTES");
	for (uint32_t i = 0; i < stats.nr; i++) {
		const struct report_count *count = &stats.counts[i];

		text_printf(out, "%12" PRIu64 " %14" PRIu64 "  %s%s%s\n", count->records,
			    count->bytes, count->event ? count->event->system : "unknown",
			    count->event ? ":" : "", count->event ? count->event->name : "");
	}
	free(stats.counts);
	return 0;
}

static int print_all_stats(struct report_cmd *cmd)
{
	int r = 0;

	for (uint32_t i = 0; !r && i < cmd->files.nr; i++) {
		if (i)
			text_putc(&cmd->lines, '\n');
		r = print_stats(cmd, cmd->files.files[i]);
	}
	return r;
}

/* ---- parse the command line ---- */

static int apply_option(struct report_cmd *cmd, int option)
{
	switch (option) {
	case 'e':
		cmd->settings.selection.events = optarg;
		return 0;
	case 'f':
		cmd->settings.selection.filter = optarg;
		return 0;
	case 's':
		return dat_files_time("--since", optarg, &cmd->settings.selection.since);
	case 'u':
		return dat_files_time("--until", optarg, &cmd->settings.selection.until);
	case 'g':
		cmd->settings.is_graph = true;
		return 0;
	case 'P':
		cmd->has_no_pager = true;
		return 0;
	default:
		cmd->is_stats = true;
		return 0;
	}
}

static int cmd_report(const struct cli_cmd *cli, int argc, char **argv)
{
	static const struct option options[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "filter", required_argument, NULL, 'f' },
		{ "since", required_argument, NULL, 's' },
		{ "until", required_argument, NULL, 'u' },
		{ "function-graph", no_argument, NULL, 'g' },
		{ "stats", no_argument, NULL, 'S' },
		{ "no-pager", no_argument, NULL, 'P' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct report_cmd cmd = { .settings.selection.until = UINT64_MAX };
	int option, status = CLI_USAGE, r;

	while ((option = cli_option(cli, argc, argv, "e:f:s:u:gSh", options, &status)) != -1)
		if (option == -2 || apply_option(&cmd, option))
			return option == -2 ? status : CLI_USAGE;
	text_init(&cmd.lines, TEXT_BYTES);
	text_init(&cmd.safe, TEXT_BYTES);
	r = dat_files_open(&cmd.files, argc - optind, argv + optind);
	status = CLI_FAILED;
	if (!r) {
		start_pager(&cmd);
		r = cmd.is_stats ? print_all_stats(&cmd) : print_records(&cmd);
		status = end_output(&cmd, r);
	}
	dat_files_close(&cmd.files);
	text_done(&cmd.lines);
	text_done(&cmd.safe);
	return status;
}

const struct cli_cmd cli_report = {
	.name = "report",
	.args = "[-e EVENTS] [-f FILTER] [OPTIONS] [FILE]...",
	.summary = "print the records of files that ulf record has written",
	.help =
"Prints the records of trace.dat files as `trace` prints them, in order of time\n"
"over all files.  Without FILE: trace.dat.  On a terminal, through $PAGER or less.\n"
"Files of trace-cmd can be read if they have version 7.\n"
"\n"
"  -e, --event=EVENTS    print these events: sys:event, sys:*, sys, event; with commas\n"
"  -f, --filter=FILTER   print records that pass the filter; events that lack a field\n"
"                        of it are not printed\n"
"  -s, --since=TIME      print records from this time on, in seconds\n"
"  -u, --until=TIME      print records up to this time\n"
"  -g, --function-graph  print functions as nested blocks\n"
"  -S, --stats           print numbers of records for each event, and what was lost\n"
"      --no-pager        write to the terminal\n"
"\n"
"Example:  ulf record -o kv.dat -e kv -- ./kv\n"
"          ulf report -f 'slot > 3' kv.dat\n",
	.run = cmd_report,
};
