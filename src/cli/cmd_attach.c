/* SPDX-License-Identifier: MIT */
/* ulf attach: load libulf into a running program. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/control.h"
#include "base/config.h"
#include "base/posix_clock.h"
#include "cli/cli.h"
#include "cli/pid_find.h"
#include "cli/run_impl.h"
#include "cli/terminal.h"
#include "ptrace/loader.h"

#define WHY_BYTES	8192
#define SERVER_MS	5000		/* longest wait until the server lists the new root,
					 * ms */
#define LOOK_US		2000
#define COMM_BYTES	64

/* Parse the options.  Returns 0, or -2 if the command must exit with *@ret_status. */
static int parse_options(struct run *run, const struct cli_cmd *cmd, int argc, char **argv,
			 int *ret_status)
{
	static const struct option options[] = {
		RUN_SETTING_OPTIONS,
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option;

	while ((option = cli_option(cmd, argc, argv, "e:h", options, ret_status)) != -1) {
		if (option == -2)
			return -2;
		run_words_option(run, option, optarg);
	}
	if (optind + 1 != argc) {
		*ret_status = cli_usage(cmd);
		return -2;
	}
	return 0;
}

static void read_comm(pid_t pid, char comm[COMM_BYTES])
{
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	file = fopen(path, "re");
	if (!file || !fgets(comm, COMM_BYTES, file))
		strcpy(comm, "process");
	if (file)
		fclose(file);
	comm[strcspn(comm, "\n")] = '\0';
}

/* Put the settings of ulf.conf before those of the command line.  The program cannot read
 * ulf.conf by itself, because another thread of it may change the environment at the same
 * time. */
static int add_config(struct run *run)
{
	char words[ABI_BOOT_BYTES], *own;
	int ret = run_words_check(run);

	if (ret || config_words(run->program, words, sizeof(words)) || !*words)
		return ret;
	own = strdup(text_str(&run->words));
	if (!own)
		return -ENOMEM;
	text_reset(&run->words);
	text_printf(&run->words, "%s %s", words, own);
	free(own);
	if (run->words.len < ABI_BOOT_BYTES)
		return 0;
	cli_error("the settings, and those of ulf.conf, are longer than %u bytes together",
		  ABI_BOOT_BYTES - 1);
	return -E2BIG;
}

/* Find a root that is alive: the root @name, or, if @name is NULL, the root whose program is
 * the process @pid.  Returns false if there is none; else sets *@ret_row. */
static bool find_root(struct run *run, pid_t pid, const char *name,
		      struct abi_root_row *ret_row)
{
	struct root_list list;
	bool is_found = false;

	if (root_list_fetch(&run->conn, ABI_LIST_NAMES, 0, &list) < 0)
		return false;
	for (size_t i = 0; i < list.nr && !is_found; i++) {
		const struct abi_root_row *row = &list.rows[i];

		is_found = row->state == ABI_ROOT_ALIVE &&
			   (name ? !strcmp(row->name, name) : row->pid == (uint32_t)pid);
		if (is_found)
			*ret_row = *row;
	}
	root_list_done(&list);
	return is_found;
}

static void print_next_steps(const char *root)
{
	terminal_line(stdout, "%s", root);
	terminal_line(stdout, "see:   ulf cat %s/available_filter_functions", root);
	terminal_line(stdout, "trace: ulf echo function_graph %s/current_tracer", root);
	terminal_line(stdout, "       ulf cat %s/trace_pipe", root);
	terminal_line(stdout, "stop:  ulf detach %s", root);
}

/* Use the root @root, which the program has made before: the program is linked with libulf,
 * or an earlier `ulf attach` has loaded libulf. */
static int use_old_root(const struct run *run, const char *root)
{
	if (!run->words.len) {
		print_next_steps(root);
		return 0;
	}
	cli_error("%s has libulf already, and its root is %s; settings cannot be given again, so "
		  "write to its files: ulf echo", run->program, root);
	return CLI_FAILED;
}

/* Report settings that the server could not apply.  If an earlier `ulf attach`, which was
 * killed, has made the root, no root has the run id of this command. */
static void report_errors(struct run *run)
{
	struct root_list roots;

	if (run_roots(run, &roots) < 0)
		return;
	if (roots.nr) {
		run_errors_report(run, &roots);
		run_events_report(run, &roots);
	}
	root_list_done(&roots);
}

/* Print how long a thread of the program was stopped. */
static void print_stop(const struct inject_result *result)
{
	double ms = (double)result->stopped_ns / 1e6;

	if (result->tries == 1)
		terminal_line(stdout, "stopped: one thread, for %.2f ms", ms);
	else
		terminal_line(stdout,
			      "stopped: one thread at a time, %u times, for %.2f ms at most",
			      result->tries, ms);
}

/* Wait until the server lists the root of @result.  If the program was forked by a program
 * with libulf, the root is older than this command. */
static int wait_for_server(struct run *run, pid_t pid, const struct inject_result *result)
{
	const char *name = result->root;
	uint64_t until_ms = clock_monotonic_ms() + SERVER_MS;
	struct abi_root_row row;

	while (!find_root(run, pid, name, &row)) {
		if (clock_monotonic_ms() > until_ms) {
			cli_error("libulf is loaded, but the server does not list the root of %s "
				  "yet; see `ulf ls`", run->program);
			return CLI_FAILED;
		}
		usleep(LOOK_US);
	}
	if (row.run_id != run->id)
		return use_old_root(run, name);
	report_errors(run);
	print_next_steps(name);
	print_stop(result);
	return 0;
}

static int attach(struct run *run, pid_t pid)
{
	char libulf[RUN_PATH_BYTES];
	struct inject_request request = { .pid = pid, .libulf = libulf };
	struct inject_result result;
	struct abi_root_row row;
	struct text why;
	bool is_done;

	if (conn_open(&run->conn, CONN_START) < 0)
		return CLI_FAILED;
	if (find_root(run, pid, NULL, &row))
		return use_old_root(run, row.name);
	if (!run_find_libulf(libulf)) {
		cli_error("no " RUN_LIBULF " at %s", libulf);
		return CLI_FAILED;
	}
	run->started_ns = clock_posix_ns(CLOCK_BOOTTIME);
	run->id = (uint32_t)(run->started_ns ^ run->started_ns >> 32) | 1;
	request.dir = run->conn.dir;
	request.words = text_str(&run->words);
	request.run_id = run->id;
	text_init(&why, WHY_BYTES);
	is_done = inject(&request, &result, &why);
	if (!is_done)
		cli_error("cannot attach to %s (pid %d): %s", run->program, pid, text_str(&why));
	text_done(&why);
	return is_done ? wait_for_server(run, pid, &result) : CLI_FAILED;
}

static int cmd_attach(const struct cli_cmd *cmd, int argc, char **argv)
{
	struct run run = { .pidfd = -1 };
	char comm[COMM_BYTES];
	int status = CLI_FAILED;
	pid_t pid;

	text_init(&run.words, 1 << 20);
	if (parse_options(&run, cmd, argc, argv, &status) == 0) {
		pid = pid_find(argv[optind]);
		if (pid > 0) {
			read_comm(pid, comm);
			run.program = comm;
			status = add_config(&run) < 0 ? CLI_USAGE : attach(&run, pid);
			conn_close(&run.conn);
		} else {
			status = CLI_FAILED;
		}
	}
	text_done(&run.words);
	run_errors_done(&run);
	return status;
}

const struct cli_cmd cli_attach = {
	.name = "attach",
	.args = "[-e EVENT]... [SETTINGS] PID|NAME",
	.summary = "load libulf into a running program",
	.help =
"Loads libulf into a running program of this user that is not linked with it, and\n"
"prints the name of its root.  The program keeps running, except for one thread,\n"
"which is stopped while a few pages are written.  This takes about a millisecond if\n"
"ulf and the thread get CPU time at once, and up to seconds on a machine with much\n"
"other work; the time is printed.  No thread is stopped while libulf is loaded, and\n"
"no system call returns EINTR because of the stop.\n"
"\n"
"NAME is the name of the program or of its file.  If several processes have this\n"
"name they are listed.\n"
"\n"
"  -e, --event=EVENT  switch on EVENT, as `ulf run` does\n"
"\n"
"SETTINGS are those of `ulf run`: --ftrace=TRACER, --ftrace-filter=FUNCTIONS,\n"
"--trace-buf-size=SIZE and so on.  They hold from the start of the recording.\n"
"\n"
"A program that cannot be attached to is refused, with the reason and a remedy:\n"
"statically linked programs, other C libraries than glibc 2.34 or later, a seccomp\n"
"filter of its own, programs that are not dumpable or that a debugger traces,\n"
"programs of other users or in another container, and kernel.yama.ptrace_scope\n"
"above 0.\n"
"\n"
"`ulf detach` switches everything off again.\n"
"\n"
"Example:  ulf attach --ftrace=function_graph redis-server\n",
	.run = cmd_attach,
};
