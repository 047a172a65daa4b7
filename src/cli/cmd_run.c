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

static void apply_run_option(struct run *run, int option)
{
	switch (option) {
	case 'f':
		run->is_following = true;
		break;
	case 'l':
		run->is_live = true;
		break;
	case 'o':
		run->out_name = optarg;
		break;
	default:
		run_words_option(run, option, optarg);
	}
}

/* Parse the options and check the boot settings.  Returns 0, or -2 if the command must
 * exit with *@ret_status. */
static int parse_run_options(struct run *run, const struct cli_cmd *cmd, int argc, char **argv,
			     int *ret_status)
{
	static const struct option options[] = {
		{ "follow", no_argument, NULL, 'f' },
		{ "live", no_argument, NULL, 'l' },
		{ "output", required_argument, NULL, 'o' },
		RUN_SETTING_OPTIONS,
		{ "tp-printk", no_argument, NULL, RUN_WORD(TP_PRINTK) },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = cli_option(cmd, argc, argv, "+e:flo:h", options, ret_status)) != -1) {
		if (option == -2)
			return -2;
		apply_run_option(run, option);
	}
	if (optind == argc) {
		*ret_status = cli_usage(cmd);
		return -2;
	}
	run->program = argv[optind];
	if (run->is_following)
		run_words_add(run, BOOT_FOLLOW, NULL);
	if (run_words_check(run) == 0 && run_follow_check(run) == 0)
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

	if (conn_open(&run->conn, CONN_START) < 0 || conn_check_version(&run->conn) < 0)
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
		run_program_find(run.program, run_needs_library(&run), run.is_following,
				 &run.about);
		status = run_and_report(&run, argv + optind);
	}
	run_program_done(&run.about);
	text_done(&run.words);
	run_errors_done(&run);
	return status;
}

const struct cli_cmd cli_run = {
	.name = "run",
	.args = "[-e EVENT]... [--follow] [--live] [-o FILE] [SETTINGS] [--] PROGRAM [ARGS]",
	.summary = "run a program and show what it recorded",
	.help =
"Starts PROGRAM with the events switched on from its first instruction, waits\n"
"for its end, and prints what it recorded.  The exit status is that of the\n"
"program.  If a signal killed the program, ulf dies of the same signal.\n"
"\n"
"A wrong setting is refused.  An unknown event, or a program that cannot be\n"
"traced, is reported while the program starts.  The program continues, because\n"
"a module that it loads, or a program that it starts, may have the event.\n"
"\n"
"  -e, --event=EVENT  switch on EVENT: sys:event, sys:*, sys, event; * and ?\n"
"                     stand for any text and any character; may be repeated,\n"
"                     or be a list with commas\n"
"  -f, --follow       also trace the programs that PROGRAM starts, and those that\n"
"                     they start, with the same settings: see below\n"
"  -l, --live         print records as they are recorded (and consume them)\n"
"  -o, --output=FILE  print to FILE instead of to stderr\n"
"\n"
"The following settings hold from the start.  They are parameters of the kernel's\n"
"command line.  For a program that `ulf run` does not start, the environment\n"
"variable ULF_TRACE takes them: ULF_TRACE='trace_clock=mono ...'\n"
"Start a server before it (ulf server --background): nothing is recorded\n"
"without one.\n"
"\n"
"  --trace-event=EVENTS      as -e; ! before an event leaves the event out\n"
"  --trace-buf-size=SIZE     size of each CPU's buffer: 64K, 4M\n"
"  --trace-clock=CLOCK       as in trace_clock: mono, boot, counter ...\n"
"  --trace-options=OPTIONS   as in trace_options: record-tgid,nooverwrite\n"
"  --trace-instance=NAME     make an instance; NAME,EVENTS gives it events of its\n"
"                            own; with NAME^traceoff it does not record yet\n"
"  --trace-trigger=TRIGGER   set a trigger before the first event: EVENT.TRIGGER,\n"
"                            as in 'kv_get.traceoff if slot < 0'\n"
"  --trace-filter='EVENTS FILTER'  record what passes the filter only, from the first\n"
"                            event on, as in 'kv:* slot > 3'\n"
"  --ftrace=TRACER           use function or function_graph, from main() on\n"
"  --ftrace-filter=FUNCTIONS functions that TRACER traces: a list with commas of\n"
"                            entries of set_ftrace_filter, which may be commands\n"
"  --ftrace-notrace=FUNCTIONS  functions that TRACER does not trace\n"
"  --ftrace-graph-filter=FUNCTIONS, --ftrace-graph-notrace=FUNCTIONS\n"
"                            as in set_graph_function, set_graph_notrace\n"
"  --ftrace-graph-max-depth=DEPTH  as in max_graph_depth\n"
"  --alloc-snapshot          allocate the snapshot buffer at the start\n"
"  --stacktrace              measure stacks, and print the deepest: stack_trace\n"
"  --stacktrace-filter=FUNCTIONS  measure stacks at these functions only\n"
"  --traceoff-on-warning     stop recording when the program reports a warning:\n"
"                            disable_trace_on_warning() in <ulf/tracing.h>\n"
"  --ftrace-dump-on-oops     if a signal kills the program, print its records to\n"
"                            stderr first (see `ulf help dump`); =orig_cpu: only\n"
"                            records of the CPU on which the program dies\n"
"  --usdt                    probes that the program and its libraries carry (USDT) are\n"
"                            events\n"
"  --syscalls                the program's system calls are events: raw_syscalls:sys_enter\n"
"                            and sys_exit, syscalls:sys_enter_NAME and sys_exit_NAME\n"
"                            (switches of threads need no option: -e ulf_sched)\n"
"  --tp-printk               also print events to stderr as they are recorded\n"
"\n"
"With --follow, PROGRAM may be a script, or a wrapper such as make, env or timeout.\n"
"Each program has a root of its own.  When PROGRAM has ended, the traces of all\n"
"programs that recorded something are printed one after the other, in the order in\n"
"which the programs started, each under a line ==> NAME.PID <==.  All have the same\n"
"clock.  Then the programs that could not be followed are listed, with the reason.\n"
"PROGRAM and what it starts have libulf in LD_PRELOAD; programs that are started\n"
"with an empty environment get it, too.  To leave out a program, start it with\n"
"ULF_DISABLE=1.\n"
"\n"
"The records stay readable after the program's end (see `ulf ls`), until they\n"
"are removed with `ulf rm`.\n"
"\n"
"Examples:  ulf run -e 'sched:*' -- ./minikernel --seconds 1\n"
"           ulf run --follow --ftrace=function_graph -- ./script.sh\n",
	.run = cmd_run,
};
