/* SPDX-License-Identifier: MIT */
/* ulf: main(), the table of commands, help and usage. */
#include "cli/cli.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal.h"
#include "cli/user.h"

static const struct cli_cmd commands[] = {
	{
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
	},
	{
		.name = "ls",
		.args = "[--long] [--all] [PATH]",
		.summary = "list the roots: traced programs, alive and dead",
		.help =
"A line a root: name, process id, alive, dead, corrupt or foreign (of another\n"
"version), events switched on of events known, bytes that are there to be\n"
"read, and records lost.  With PATH, list that directory of the tree (see\n"
"`ulf help cat`).\n"
"\n"
"  -l, --long         all that is known of each root\n"
"  -a, --all          the roots of all users, if you are root; no server is asked\n",
		.is_for_users = true,
		.run = cmd_ls,
	},
	{
		.name = "mount",
		.args = "[DIR]",
		.summary = "mount the tree of control files",
		.help =
"Mounts on DIR, an empty directory, or on the directory `tracing` of the ulf\n"
"directory, and prints where.  In it is a directory for every root, with the\n"
"files that the kernel has in /sys/kernel/tracing.  It stays mounted until\n"
"`ulf umount` or `ulf stop`.\n"
"\n"
"Needs /dev/fuse and, unless you are root, fusermount3 (package fuse3).\n"
"Without them: `ulf cat` and `ulf echo`.\n",
		.run = cmd_mount,
	},
	{
		.name = "umount",
		.args = "[--lazy] [DIR]",
		.summary = "unmount it",
		.help =
"Unmounts DIR, or the directory `tracing` of the ulf directory.\n"
"\n"
"  -l, --lazy         also if it is in use: it is gone when nobody uses it\n",
		.run = cmd_umount,
	},
	{
		.name = "cat",
		.args = "PATH...",
		.summary = "print files of the tree, without a mount",
		.help =
"PATH is a root, as `ulf ls` names it, and a file: minikernel.4711/trace.\n"
"A root may be shortened to its program's name or its process id if that is\n"
"unique: minikernel/trace, 4711/trace.  trace_pipe waits for more until ^C.\n",
		.is_for_users = true,
		.may_take_long = true,
		.run = cmd_cat,
	},
	{
		.name = "echo",
		.args = "[-a] [-n] VALUE PATH",
		.summary = "write a value to a file of the tree, without a mount",
		.help =
"As `echo VALUE > PATH` in a mounted tree; PATH as in `ulf help cat`.  If the\n"
"file does not take it, the reason is printed, and a caret under the place.\n"
"\n"
"  -a, --append       as `>>`: the file is not truncated\n"
"  -n, --no-newline   no newline after VALUE\n"
"\n"
"Example:  ulf echo 1 minikernel/events/sched/enable\n",
		.is_for_users = true,
		.run = cmd_echo,
	},
	{
		.name = "exec",
		.args = "[[ROOT] --] COMMAND [ARGS]",
		.summary = "run a kernel tracing tool on a root: ulf exec trace-cmd ...",
		.help =
"Runs COMMAND so that it finds the directory of ROOT where the kernel has its\n"
"tracefs, in /sys/kernel/tracing.  Without ROOT it is the only root that is\n"
"alive; ROOT may be shortened as in `ulf help cat`.  Nobody else sees it, and\n"
"no mount is needed before.\n"
"\n"
"Needs /dev/fuse and, unless you are root, user namespaces.\n"
"\n"
"Example:  ulf exec trace-cmd record -e sched sleep 1\n"
"          trace-cmd report\n",
		.run = cmd_exec,
	},
	{
		.name = "dump",
		.args = "[--cpu=N] [ROOT]",
		.summary = "print what a root recorded, as a kernel does when it dies",
		.help =
"What ftrace_dump() prints when the program calls it, or when it dies of a\n"
"signal and the variable ULF_DUMP_ON_CRASH was set.  Needs no server, and\n"
"changes nothing: what was recorded stays, and recording goes on.  Without\n"
"ROOT it is the only root that is alive; ROOT may be shortened as in\n"
"`ulf help cat`.\n"
"\n"
"  -c, --cpu=N        what was recorded on that CPU only; or `all`\n",
		.is_for_users = true,
		.may_take_long = true,
		.run = cmd_dump,
	},
	{
		.name = "check",
		.args = "[ROOT]...",
		.summary = "list events that cannot be printed with their print fmt, and why",
		.help =
"Reads the print fmt of every event of the roots, or of all roots, as the\n"
"server does.  Where it meets something that only the program knows - an enum,\n"
"a function, a member of a struct - it says where, and what the trace header\n"
"can do about it; such an event is printed as the names and values of its\n"
"fields.  The exit status is 1 if there is any.\n",
		.is_for_users = true,
		.run = cmd_check,
	},
	{
		.name = "rm",
		.args = "ROOT... | --dead",
		.summary = "remove dead roots and what they recorded",
		.help =
"  -d, --dead         all that are dead or corrupt\n"
"\n"
"A root whose program is alive cannot be removed.\n",
		.is_for_users = true,
		.run = cmd_rm,
	},
	{
		.name = "server",
		.args = "[--background]",
		.summary = "be the server; the other commands start one if need be",
		.help =
"Serves the mounts and the other commands, in the foreground until ^C.  One\n"
"runs for each ulf directory.\n"
"\n"
"  -b, --background   return when it is ready; it logs to server.log in the\n"
"                     ulf directory\n",
		.run = cmd_server,
	},
	{
		.name = "stop",
		.args = "",
		.summary = "stop the server; programs go on recording",
		.help =
"Unmounts everything first.  Settings and records live in shared memory: the\n"
"next server finds them.\n",
		.is_for_users = true,
		.run = cmd_stop,
	},
};
#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static const struct cli_cmd *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	}
	return NULL;
}

static void print_commands(FILE *to)
{
	size_t i;

	fputs("usage: ulf [--user USER] COMMAND [ARGS]\n\n"
	      "Tracepoints and tracefs for programs: what ftrace is to the kernel.\n\n", to);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].summary);
	fputs("  help     say more about a command: ulf help COMMAND\n\n"
	      "The ulf directory is $ULF_DIR, else /run/ulf/UID if there is a /run/ulf, else\n"
	      "/dev/shm/ulf-UID.  With --user USER, a name or a number, root looks at the\n"
	      "roots of that user; `ulf ls --all` lists those of all users.\n", to);
}

static int report_unknown_command(const char *name)
{
	cli_error("there is no command `%s`; `ulf help` lists them", name);
	return CLI_USAGE;
}

static int print_help(int argc, char **argv)
{
	const struct cli_cmd *cmd;

	if (argc < 3) {
		print_commands(stdout);
		return 0;
	}
	cmd = find_command(argv[2]);
	if (!cmd)
		return report_unknown_command(argv[2]);
	cli_help(cmd);
	return 0;
}

static int flush_stdout(int status)
{
	if ((fflush(stdout) == EOF || ferror(stdout)) && status == 0) {
		cli_error("standard output: %m");
		return CLI_FAILED;
	}
	return status;
}

/* Open /dev/null for each standard stream that is closed, so that no other file gets the
 * descriptor of a standard stream. */
static void open_standard_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Run the command that follows the global options.  argv[0] becomes "ulf NAME". */
static int run_command(const char *user, int argc, char **argv)
{
	const struct cli_cmd *cmd = find_command(argv[0]);
	char name[32];
	int status;

	if (!cmd)
		return report_unknown_command(argv[0]);
	status = user ? user_enter(user, cmd) : -1;
	if (status >= 0)
		return status;
	snprintf(name, sizeof(name), "ulf %s", cmd->name);
	argv[0] = name;
	return flush_stdout(cmd->run(cmd, argc, argv));
}

/* Parse --user USER or --user=USER.  Returns the number of arguments that were used; 0 if
 * there is no --user. */
static int parse_user_option(int argc, char **argv, const char **ret_user)
{
	static const char option[] = "--user";
	size_t len = sizeof(option) - 1;

	if (argc < 1 || strncmp(argv[0], option, len))
		return 0;
	if (argv[0][len] == '=') {
		*ret_user = argv[0] + len + 1;
		return 1;
	}
	if (argv[0][len])
		return 0;
	*ret_user = argc > 1 ? argv[1] : "";
	return 2;
}

int main(int argc, char **argv)
{
	const char *user = NULL;
	int used;

	open_standard_streams();

	used = 1 + parse_user_option(argc - 1, argv + 1, &user);
	if (argc <= used) {
		if (user)
			cli_error("--user needs a user and a command");
		else
			print_commands(stderr);
		return CLI_USAGE;
	}
	if (strcmp(argv[1], "help") == 0 || strcmp(argv[1], "--help") == 0 ||
	    strcmp(argv[1], "-h") == 0)
		return flush_stdout(print_help(argc, argv));
	if (strcmp(argv[1], "--version") == 0) {
		puts("ulf " ULF_VERSION);
		return flush_stdout(0);
	}
	return run_command(user, argc - used, argv + used);
}
