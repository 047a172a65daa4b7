/* SPDX-License-Identifier: MIT */
/* ulf: main(), the table of commands, help and usage. */
#include "cli/cli.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cli/complete.h"
#include "cli/terminal.h"
#include "cli/user.h"

static const struct cli_cmd *const commands[] = {
#define ROW(name)	&cli_##name,
	CLI_COMMANDS(ROW)
#undef ROW
};
#define NR_COMMANDS	(sizeof(commands) / sizeof(commands[0]))

static const struct cli_cmd *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < NR_COMMANDS; i++) {
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	}
	return NULL;
}

static void print_commands(FILE *to)
{
	size_t i;

	fputs("usage: ulf [--user USER] COMMAND [ARGS]\n\n"
	      "Tracepoints and tracefs for programs: what ftrace is to the kernel.\n\n", to);
	for (i = 0; i < NR_COMMANDS; i++)
		fprintf(to, "  %-9s %s\n", commands[i]->name, commands[i]->summary);
	fputs("  help      explain a command: ulf help COMMAND\n\n"
	      "The ulf directory is $ULF_DIR, else /run/ulf/UID if there is a /run/ulf, else\n"
	      "/dev/shm/ulf-UID.  With --user USER (a name or a user id) root works with the\n"
	      "roots of that user; `ulf ls --all` lists the roots of all users.\n", to);
}

static int report_unknown_command(const char *name)
{
	struct nearest near;
	const char *found;
	size_t i;

	nearest_init(&near, name, strlen(name));
	for (i = 0; i < NR_COMMANDS; i++)
		nearest_offer(&near, commands[i]->name);
	found = nearest_name(&near);
	if (found)
		cli_error("there is no command `%s`; did you mean `%s`?", name, found);
	else
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

/* Open /dev/null for each standard stream that is closed.  Otherwise the next file that
 * is opened would get the descriptor of a standard stream, and output would go to this
 * file. */
static void open_standard_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

/* Run the command that follows the global options.  The command gets "ulf NAME" as argv[0]. */
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

/* Parse --user USER or --user=USER.  Returns the number of arguments that the option
 * takes; 0 if there is no --user. */
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
	if (strcmp(argv[1], "complete") == 0)
		return flush_stdout(complete_print(commands, NR_COMMANDS, argc - 1, argv + 1));
	if (strcmp(argv[1], "--version") == 0) {
		puts("ulf " ULF_VERSION);
		return flush_stdout(0);
	}
	return run_command(user, argc - used, argv + used);
}
