/* SPDX-License-Identifier: MIT */
/*
 * ulf run: run a program and print what it recorded, to stderr or to a file.  Standard output
 * belongs to the program, and `ulf run` exits with the program's exit status.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/run.h"

/* Value that getopt_long() returns for a long option that is a boot setting (event/boot.h).  It
 * is above the values of all letters, which are short options. */
#define WORD(id)	(256 + BOOT_##id)

static void apply_run_option(struct run *run, int option)
{
	switch (option) {
	case 'l':
		run->is_live = true;
		break;
	case 'o':
		run->out_name = optarg;
		break;
	case 'e':
		run_words_add(run, BOOT_EVENT, optarg);
		break;
	default:
		run_words_add(run, (enum boot_id)(option - WORD(EVENT) + BOOT_EVENT), optarg);
	}
}

/* Parse the options and check the settings.  Returns 0, or -2 if the command must exit with
 * *@ret_status. */
static int parse_run_options(struct run *run, const struct cli_cmd *cmd, int argc, char **argv,
			     int *ret_status)
{
	static const struct option options[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "live", no_argument, NULL, 'l' },
		{ "output", required_argument, NULL, 'o' },
		{ "trace-event", required_argument, NULL, WORD(EVENT) },
		{ "trace-buf-size", required_argument, NULL, WORD(BUF_SIZE) },
		{ "trace-clock", required_argument, NULL, WORD(CLOCK) },
		{ "trace-options", required_argument, NULL, WORD(OPTIONS) },
		{ "trace-instance", required_argument, NULL, WORD(INSTANCE) },
		{ "trace-trigger", required_argument, NULL, WORD(TRIGGER) },
		{ "ftrace", required_argument, NULL, WORD(TRACER) },
		{ "ftrace-filter", required_argument, NULL, WORD(FILTER) },
		{ "ftrace-notrace", required_argument, NULL, WORD(NOTRACE) },
		{ "ftrace-graph-filter", required_argument, NULL, WORD(GRAPH_FILTER) },
		{ "ftrace-graph-notrace", required_argument, NULL, WORD(GRAPH_NOTRACE) },
		{ "ftrace-graph-max-depth", required_argument, NULL, WORD(GRAPH_DEPTH) },
		{ "alloc-snapshot", no_argument, NULL, WORD(SNAPSHOT) },
		{ "stacktrace", no_argument, NULL, WORD(STACK) },
		{ "stacktrace-filter", required_argument, NULL, WORD(STACK_FILTER) },
		{ "traceoff-on-warning", no_argument, NULL, WORD(WARNING) },
		{ "ftrace-dump-on-oops", optional_argument, NULL, WORD(DUMP) },
		{ "tp-printk", no_argument, NULL, WORD(TP_PRINTK) },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = cli_option(cmd, argc, argv, "+e:lo:h", options, ret_status)) != -1) {
		if (option == -2)
			return -2;
		apply_run_option(run, option);
	}
	if (optind == argc) {
		*ret_status = cli_usage(cmd);
		return -2;
	}
	run->program = argv[optind];
	if (run_words_check(run) == 0)
		return 0;
	*ret_status = CLI_USAGE;
	return -2;
}

static int open_output(struct run *run)
{
	run->out = stderr;
	if (!run->out_name)
		return 0;
	run->out = fopen(run->out_name, "we");
	if (run->out)
		return 0;
	cli_error("%s: %m", run->out_name);
	return -errno;
}

static int close_output(struct run *run)
{
	int ret = ferror(run->out) ? -EIO : 0;

	if (run->out != stderr && fclose(run->out) == EOF)
		ret = -errno;
	if (ret < 0)
		cli_error("%s: %s", run->out_name ? run->out_name : "standard error",
			  strerror(-ret));
	return ret;
}

static uint64_t boottime_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Run the program and print the records.  Returns the exit status of the command. */
static int run_and_report(struct run *run, char **argv)
{
	int ret, wait_status;

	if (conn_open(&run->conn, CONN_START) < 0)
		return CLI_NOT_STARTED;
	if (open_output(run) < 0)
		return CLI_NOT_STARTED;
	run->started_ns = boottime_ns();
	run->id = (uint32_t)(run->started_ns ^ run->started_ns >> 32) | 1;
	run_check_program(run);
	ret = run_child_start(run, argv);
	if (ret < 0)
		return ret == -ENOENT ? CLI_NOT_FOUND : CLI_NOT_STARTED;
	run_watch(run);
	if (run->is_live || run->is_printk)
		run_live(run);
	wait_status = run_child_wait(run);
	ret = run_report(run);
	if (close_output(run) < 0 && ret >= 0)
		ret = -EIO;
	conn_close(&run->conn);
	if (ret < 0 && wait_status == 0)
		return CLI_FAILED;
	return run_child_repeat_end(wait_status);
}

int cmd_run(const struct cli_cmd *cmd, int argc, char **argv)
{
	struct run run = { .pidfd = -1 };
	int status;

	run_words_init(&run);
	if (parse_run_options(&run, cmd, argc, argv, &status) == 0) {
		run_program_find(run.program, &run.about);
		status = run_and_report(&run, argv + optind);
	}
	run_program_done(&run.about);
	text_done(&run.words);
	run_errors_done(&run);
	return status;
}
