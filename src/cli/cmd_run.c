/* SPDX-License-Identifier: MIT */
/*
 * ulf run: the program's standard output and exit status stay the program's;
 * what was recorded goes to stderr, or to a file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/run.h"

#define EVENTS_BYTES	1024		/* room for them in a root, NUL included */

static int add_events(struct run *run, const char *words)
{
	char *events;

	if (asprintf(&events, "%s%s%s", run->events, *run->events ? "," : "", words) < 0) {
		cli_error("out of memory");
		return -ENOMEM;
	}
	free(run->events);
	run->events = events;
	if (strlen(events) < EVENTS_BYTES)
		return 0;
	cli_error("the words of -e are longer than %d bytes together; use globs, "
		  "as in 'sched:*'", EVENTS_BYTES - 1);
	return -E2BIG;
}

/* -2: leave with *@ret_status. */
static int parse(struct run *run, const struct cli_cmd *cmd, int argc, char **argv,
		 int *ret_status)
{
	static const struct option options[] = {
		{ "event", required_argument, NULL, 'e' },
		{ "live", no_argument, NULL, 'l' },
		{ "output", required_argument, NULL, 'o' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = cli_option(cmd, argc, argv, "+e:lo:h", options, ret_status)) != -1) {
		if (option == -2)
			return -2;
		if (option == 'l')
			run->is_live = true;
		else if (option == 'o')
			run->out_name = optarg;
		else if (add_events(run, optarg) < 0) {
			*ret_status = CLI_USAGE;
			return -2;
		}
	}
	if (optind == argc) {
		*ret_status = cli_usage(cmd);
		return -2;
	}
	run->program = argv[optind];
	return 0;
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

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int execute(struct run *run, char **argv)
{
	int ret, wait_status;

	if (conn_open(&run->conn, CONN_START) < 0)
		return CLI_NOT_STARTED;
	if (open_output(run) < 0)
		return CLI_NOT_STARTED;
	run->started_ns = now_ns();
	run->id = (uint32_t)(run->started_ns ^ run->started_ns >> 32) | 1;
	ret = run_child_start(run, argv);
	if (ret < 0)
		return ret == -ENOENT ? CLI_NOT_FOUND : CLI_NOT_STARTED;
	if (run->is_live)
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

	run.events = strdup("");
	if (!run.events)
		return CLI_FAILED;
	if (parse(&run, cmd, argc, argv, &status) == 0)
		status = execute(&run, argv + optind);
	free(run.events);
	return status;
}
