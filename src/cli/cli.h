/* SPDX-License-Identifier: MIT */
/*
 * The command line: a command is a row of the table in main.c, a file
 * cmd_<name>.c, a test and a section of docs/man/ulf.1.
 */
#ifndef ULF_CLI_CLI_H
#define ULF_CLI_CLI_H

#include <getopt.h>
#include <stdbool.h>

/* Exit status: 0, 1 if it failed, 2 if it was not understood. */
#define CLI_FAILED	1
#define CLI_USAGE	2
/* What a shell answers when it cannot start a program. */
#define CLI_NOT_STARTED	126
#define CLI_NOT_FOUND	127

struct cli_cmd {
	const char *name;
	const char *args;		/* of the usage line */
	const char *summary;		/* a line for `ulf help` */
	const char *help;		/* the rest of `ulf help NAME` */
	bool is_for_users;		/* root may run the command with --user (user.h):
					 * no file, program or mount of root's is needed */
	bool may_take_long;		/* the command may print for ever */
	/* @argv[0] is "ulf NAME"; gives the exit status. */
	int (*run)(const struct cli_cmd *cmd, int argc, char **argv);
};

int cmd_cat(const struct cli_cmd *cmd, int argc, char **argv);
int cmd_check(const struct cli_cmd *cmd, int argc, char **argv);
int cmd_dump(const struct cli_cmd *cmd, int argc, char **argv);
int cmd_echo(const struct cli_cmd *cmd, int argc, char **argv);
int cmd_exec(const struct cli_cmd *cmd, int argc, char **argv);
int cmd_ls(const struct cli_cmd *cmd, int argc, char **argv);
int cmd_mount(const struct cli_cmd *cmd, int argc, char **argv);
int cmd_rm(const struct cli_cmd *cmd, int argc, char **argv);
int cmd_run(const struct cli_cmd *cmd, int argc, char **argv);
int cmd_server(const struct cli_cmd *cmd, int argc, char **argv);
int cmd_stop(const struct cli_cmd *cmd, int argc, char **argv);
int cmd_umount(const struct cli_cmd *cmd, int argc, char **argv);

/* `ulf: ...` and a newline on stderr; one line, as terminal_line(). */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * cli_option - the next option, as getopt_long(); --help and what is wrong are
 * dealt with here
 *
 * -1: no more; -2: leave with *@ret_status.  Options end at the first word
 * that is none.
 */
int cli_option(const struct cli_cmd *cmd, int argc, char **argv,
	       const char *short_options, const struct option *options,
	       int *ret_status);
/* Say how @cmd is used, on stderr; gives CLI_USAGE. */
int cli_usage(const struct cli_cmd *cmd);
/* Print the help text of @cmd to stdout. */
void cli_help(const struct cli_cmd *cmd);

#endif
