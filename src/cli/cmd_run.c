/* SPDX-License-Identifier: MIT */
/*
 * ulf run: run a program and print what it recorded, to stderr or to a file.  Standard output
 * belongs to the program, and `ulf run` exits with the program's exit status.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/posix_clock.h"
#include "cli/cli.h"
#include "cli/run_impl.h"

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

/* Run the program and print the records.  Returns the exit status of the command. */
static int run_and_report(struct run *run, char **argv)
{
	int ret, wait_status;

	if (conn_open(&run->conn, CONN_START) < 0)
		return CLI_NOT_STARTED;
	if (open_output(run) < 0)
		return CLI_NOT_STARTED;
	run->started_ns = clock_posix_ns(CLOCK_BOOTTIME);
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

static int cmd_run(const struct cli_cmd *cmd, int argc, char **argv)
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

const struct cli_cmd cli_run = {
	.name = "run",
	.args = "[-e EVENT]... [--live] [-o FILE] [SETTINGS] [--] PROGRAM [ARGS]",
	.summary = "run a program and show what it recorded",
	.help =
"Starts PROGRAM with the events switched on from its first instruction, waits\n"
"for it, and prints what it recorded.  The exit status is the program's; if a\n"
"signal killed it, ulf dies of the same signal.\n"
"\n"
"A wrong setting is refused.  An unknown event, or a program that cannot be\n"
"traced, is reported while the program starts.  The program continues, because\n"
"a module that it loads, or a program that it starts, may have the event.\n"
"\n"
"  -e, --event=EVENT  switch on EVENT: sys:event, sys:*, sys, event; * and ?\n"
"                     stand for any text and any character; may be repeated,\n"
"                     or be a list with commas\n"
"  -l, --live         print records as they come (and consume them)\n"
"  -o, --output=FILE  print to FILE instead of to stderr\n"
"\n"
"Settings from the start.  They are words of the kernel's command line, and the\n"
"variable ULF_TRACE of any program has the same: trace_clock=mono ...\n"
"\n"
"  --trace-event=EVENTS      the same as -e; ! before an event leaves it out\n"
"  --trace-buf-size=SIZE     bytes of buffer for each CPU; 64K, 4M\n"
"  --trace-clock=CLOCK       as in trace_clock: mono, boot, counter ...\n"
"  --trace-options=OPTIONS   as in trace_options: record-tgid,nooverwrite\n"
"  --trace-instance=NAME     an instance; NAME,EVENTS with events of its own;\n"
"                            NAME^traceoff does not record yet\n"
"  --trace-trigger=TRIGGER   a trigger from the first event on, as EVENT.TRIGGER:\n"
"                            'kv_get.traceoff if slot < 0'\n"
"  --ftrace=TRACER           function or function_graph, from main() on\n"
"  --ftrace-filter=FUNCTIONS the functions that it traces; a list with commas of\n"
"                            what set_ftrace_filter takes, so commands, too\n"
"  --ftrace-notrace=FUNCTIONS  those that it does not\n"
"  --ftrace-graph-filter=FUNCTIONS, --ftrace-graph-notrace=FUNCTIONS\n"
"                            set_graph_function, set_graph_notrace\n"
"  --ftrace-graph-max-depth=DEPTH  max_graph_depth\n"
"  --alloc-snapshot          allocate the snapshot buffer at the start\n"
"  --stacktrace              look at stacks, and print the deepest: stack_trace\n"
"  --stacktrace-filter=FUNCTIONS  the same, at these functions alone\n"
"  --traceoff-on-warning     stop at what the program calls a warning:\n"
"                            disable_trace_on_warning() in <ulf/tracing.h>\n"
"  --ftrace-dump-on-oops     if a signal kills it, what it recorded is printed\n"
"                            to stderr first: see `ulf help dump`; =orig_cpu:\n"
"                            what was recorded on the CPU that it dies on\n"
"  --tp-printk               print the events to stderr as they come, too\n"
"\n"
"What was recorded stays readable after the program's end, see `ulf ls`,\n"
"until it is removed with `ulf rm`.\n"
"\n"
"Example:  ulf run -e 'sched:*' -- ./minikernel --seconds 1\n",
	.run = cmd_run,
};
