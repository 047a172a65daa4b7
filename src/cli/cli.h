/* SPDX-License-Identifier: MIT */
/*
 * Declarations for the commands of ulf.  A new command needs a file cmd_<name>.c, its name in
 * CLI_COMMANDS(), a test, a page docs/man/ulf-<name>.1 and a line of docs/man/ulf.1.
 */
#ifndef ULF_CLI_CLI_H
#define ULF_CLI_CLI_H

#include <getopt.h>
#include <stdbool.h>

/* Exit statuses of a command, apart from 0. */
#define CLI_FAILED	1		/* the command has failed */
#define CLI_USAGE	2		/* exit status: the options or arguments are wrong */
/* Exit statuses of a command that cannot start a program; shells use the same ones. */
#define CLI_NOT_STARTED	126		/* exit status: the program cannot be started */
#define CLI_NOT_FOUND	127		/* there is no such program */

/* A command of ulf.  The file cmd_<name>.c defines it. */
struct cli_cmd {
	const char *name;
	const char *args;		/* arguments of the command, as the usage line shows
					 * them; completion also reads this text
					 * (usage_words.h) */
	const char *summary;		/* one-line description for `ulf help` */
	const char *help;		/* text that `ulf help NAME` prints after the usage
					 * line; completion finds the options in it */
	const char *choices;		/* for completion: the values of a placeholder in
					 * @args or @help, as "NAME: VALUE VALUE"; NULL: none */
	bool is_for_users;		/* true: the command works with --user (user.h); this
					 * is possible for a command that needs no file,
					 * program or mount of user id 0 */
	bool may_take_long;		/* true: the command may print without
					 * end, so --user sets no time limit */
	/* Method that runs the command.  @argv[0]: the text "ulf NAME".  Returns the exit
	 * status. */
	int (*run)(const struct cli_cmd *cmd, int argc, char **argv);
};

/* The commands, in the order in which `ulf help` lists them.  The file cmd_<name>.c defines
 * the variable cli_<name>. */
#define CLI_COMMANDS(X) \
	X(run) X(record) X(report) X(graph) X(offcpu) X(diff) X(export) X(view) X(archive) \
	X(attach) X(detach) X(ls) X(mount) X(umount) X(cat) X(echo) \
	X(exec) X(hist) X(top) X(watch) X(blackbox) X(dump) X(check) X(rm) X(server) X(stop)

#define CLI_COMMAND(name)	extern const struct cli_cmd cli_##name;
CLI_COMMANDS(CLI_COMMAND)
#undef CLI_COMMAND

/* Print `ulf: `, the message and a newline to stderr.  Control characters are escaped,
 * as by terminal_line().  @fmt may contain %m. */
void cli_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * cli_option - get the next option, as getopt_long() does
 * @short_options: as for getopt(); if the text begins with +, the first argument that is
 *	no option ends the options
 * @ret_status: exit status; set only if -2 is returned
 *
 * Prints the help for --help, and an error for a wrong option.  Returns the option; -1
 * if there are no more options; -2 if the command must exit with *@ret_status.
 */
int cli_option(const struct cli_cmd *cmd, int argc, char **argv,
	       const char *short_options, const struct option *options,
	       int *ret_status);
/* Print the usage line of @cmd to stderr.  Returns CLI_USAGE. */
int cli_usage(const struct cli_cmd *cmd);
/* Print the help text of @cmd to stdout. */
void cli_help(const struct cli_cmd *cmd);

#endif
