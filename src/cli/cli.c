/* SPDX-License-Identifier: MIT */
/* Functions for all commands: error messages, options, help texts. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/terminal.h"

void cli_error(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("ulf: ", stderr);
	va_start(ap, fmt);
	terminal_vprint(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void print_usage(FILE *to, const struct cli_cmd *cmd)
{
	fprintf(to, "usage: ulf %s%s%s\n", cmd->name, *cmd->args ? " " : "", cmd->args);
}

void cli_help(const struct cli_cmd *cmd)
{
	print_usage(stdout, cmd);
	printf("\nulf %s: %s\n\n%s", cmd->name, cmd->summary, cmd->help);
}

int cli_usage(const struct cli_cmd *cmd)
{
	print_usage(stderr, cmd);
	fprintf(stderr, "for details run `ulf help %s`\n", cmd->name);
	return CLI_USAGE;
}

/* Print an error message for a wrong option.  getopt() sets optopt to 0 if a long
 * option is unknown. */
static int report_bad_option(const struct cli_cmd *cmd, char **argv,
			     const char *short_options, const struct option *options)
{
	bool is_known = optopt && strchr(short_options, optopt);

	for (; optopt && !is_known && options->name; options++)
		is_known = options->val == optopt;
	if (is_known)
		cli_error("option %s: an argument is missing, or the option takes no argument",
			  argv[optind - 1]);
	else if (optopt)
		cli_error("there is no option -%c", optopt);
	else
		cli_error("there is no option %s", argv[optind - 1]);
	return cli_usage(cmd);
}

int cli_option(const struct cli_cmd *cmd, int argc, char **argv,
	       const char *short_options, const struct option *options,
	       int *ret_status)
{
	int option;

	opterr = 0;			/* print no messages in getopt(), because it would not
					 * escape control characters */
	option = getopt_long(argc, argv, short_options, options, NULL);
	switch (option) {
	case 'h':
		cli_help(cmd);
		*ret_status = 0;
		return -2;
	case '?':
		*ret_status = report_bad_option(cmd, argv, short_options, options);
		return -2;
	default:
		return option;
	}
}
