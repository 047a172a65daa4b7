/* SPDX-License-Identifier: MIT */
/*
 * ulf dump: print what a root recorded.  The command works without a server, because a
 * crashing program may run it at a time when there is no server.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dir.h"
#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/terminal.h"
#include "cli/user.h"
#include "daemon/parts.h"
#include "daemon/root_row.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/core/server_roots.h"
#include "server/print/line.h"
#include "server/rings/options.h"
#include "tracefs/tracefs.h"

#define RULE	"---------------------------------\n"

/* ---- find the root whose records are printed ---- */

/* Callback of server_root_list(): append a root to the list of roots. */

static int append_root_row(void *arg, const struct server_root_info *info)
{
	struct root_list *list = arg;
	struct abi_root_row *rows =
		realloc(list->rows, (list->nr + 1) * sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	list->rows = rows;
	root_row_fill(info, &rows[list->nr++]);
	return 0;
}

/* Find the root that @word names, as root_list_find() does.  Prints errors. */
static int find_root(const char *dir, const char *word, struct server **ret_server,
		     struct root **ret_root)
{
	const struct abi_root_row *row;
	struct root_list list = { 0 };
	int r = server_view(dir, NULL, ret_server);

	if (r < 0) {
		cli_error("%s: %s", dir, strerror(-r));
		return r;
	}
	r = server_root_names(*ret_server, append_root_row, &list);
	row = r ? NULL : root_list_find(&list, word);
	*ret_root = row ? server_find_root(*ret_server, row->name) : NULL;
	root_list_done(&list);
	return *ret_root ? 0 : -ENOENT;
}

/* Open the root whose full name is @word, without reading the other roots.  If there is
 * no such root, call find_root(), which accepts shortened names. */
static int open_root(const char *dir, const char *word, struct server **ret_server,
		     struct root **ret_root)
{
	if (word && !strchr(word, '/') && !server_view(dir, word, ret_server)) {
		*ret_root = server_find_root(*ret_server, word);
		if (*ret_root)
			return 0;
		server_free(*ret_server);
		*ret_server = NULL;
	}
	return find_root(dir, word, ret_server, ret_root);
}

/* Find the ulf directory and check it, as conn_open() does.  Prints errors. */
static int find_checked_directory(char ret_dir[static DIR_PATH_BYTES])
{
	const char *env = getenv("ULF_DIR"), *why;
	int ret;

	ret_dir[0] = '\0';
	ret = dir_find(ret_dir);
	if (!ret)
		ret = dir_check(ret_dir);
	if (!ret)
		return 0;
	why = dir_strerror(ret);
	if (ret == -ENOENT && env && *env)
		cli_error("the ulf directory %s, which ULF_DIR names, does not exist", ret_dir);
	else if (ret == -ENOENT)
		cli_error("there is no root: no program linked with libulf was started");
	else
		cli_error("the ulf directory %s: %s", ret_dir, why ? why : strerror(-ret));
	if (ret == -EPERM)
		user_report_owner(ret_dir);
	return ret;
}

/* ---- print the records of a root ---- */

struct printer {
	bool is_in_header;		/* true: all lines so far begin with #, so they are
					 * the header of `trace` */
	bool is_line_start;		/* true: the next byte of `trace` is the first of a
					 * line */
	bool has_printed;		/* true: at least one line was printed */
	struct terminal terminal;
};

/* Print lines of `trace` without its header.  The header consists of all lines before the
 * first line that does not begin with #. */
static void print_without_header(struct printer *printer, const char *text, size_t size)
{
	for (const char *end = text + size; text < end; ) {
		const char *eol = memchr(text, '\n', (size_t)(end - text));
		size_t len = (size_t)(eol ? eol + 1 - text : end - text);

		if (printer->is_line_start && *text != '#')
			printer->is_in_header = false;
		if (!printer->is_in_header) {
			if (!printer->has_printed)
				fputs(RULE, stdout);
			printer->has_printed = true;
			terminal_write(&printer->terminal, text, len);
		}
		printer->is_line_start = eol;
		text += len;
	}
}

static int print_trace_file(struct tracefs_file *file)
{
	struct printer printer = { .is_in_header = true, .is_line_start = true };
	static char buf[1 << 16];
	off_t offset = 0;
	ssize_t n;

	terminal_start(&printer.terminal, stdout);
	fputs("Dumping ftrace buffer:\n", stdout);
	while ((n = tracefs_read(file, buf, sizeof(buf), offset)) > 0) {
		print_without_header(&printer, buf, (size_t)n);
		user_progress(USER_GOES_ON);
		offset += n;
	}
	terminal_end(&printer.terminal);
	fputs(printer.has_printed ? RULE : "   (ftrace buffer empty)\n", stdout);
	return (int)n;
}

/* Return true if @word consists of digits, so that it can be the number of a CPU. */
static bool is_cpu_number(const char *word)
{
	return *word && !word[strspn(word, "0123456789")];
}

/* Print the records of @root.  @cpu: the number of a CPU, or "all". */
static int dump_root(struct server *server, struct root *root, const char *cpu)
{
	struct tracefs_node *node;
	struct tracefs_file *file;
	char path[512];
	int r;

	if (!root_is_usable(root))
		return -EBADMSG;
	/* Set the options that the kernel's ftrace_dump() sets.  The options are set in this
	 * process only; those of the root do not change. */
	instance_lines(&root->top)->is_dumped = true;
	instance_set_option(&root->top, OPTION_SYM_USEROBJ, false);
	instance_set_option(&root->top, OPTION_PAUSE_ON_TRACE, false);
	if (is_cpu_number(cpu))
		snprintf(path, sizeof(path), "%s/per_cpu/cpu%s/trace", root->name, cpu);
	else
		snprintf(path, sizeof(path), "%s/trace", root->name);
	r = tracefs_walk(server, path, &node);
	if (r < 0)
		return r;
	r = tracefs_open(node, O_RDONLY | (terminal_is(stdout) ? TRACEFS_TERMINAL : 0), &file);
	tracefs_node_put(node);
	if (r < 0)
		return r;
	r = print_trace_file(file);
	tracefs_close(file);
	return r;
}

static int cmd_dump(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "cpu", required_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	const char *cpu = "all", *word;
	char dir[DIR_PATH_BYTES];
	struct server *server = NULL;
	struct root *root;
	int status = 0, option, r;

	while ((option = cli_option(cmd, argc, argv, "c:h", options, &status)) == 'c')
		cpu = optarg;
	if (option != -1)
		return status;
	if (argc - optind > 1 || (strcmp(cpu, "all") && !is_cpu_number(cpu)))
		return cli_usage(cmd);
	word = argv[optind];
	if (find_checked_directory(dir) < 0)
		return CLI_FAILED;
	r = open_root(dir, word, &server, &root);
	if (!r) {
		r = dump_root(server, root, cpu);
		if (r < 0)
			cli_error("%s: %s", root->name, strerror(-r));
	}
	server_free(server);
	return r < 0 || fflush(stdout) ? CLI_FAILED : 0;
}

const struct cli_cmd cli_dump = {
	.name = "dump",
	.args = "[--cpu=N] [ROOT]",
	.summary = "print the records of a root, as a kernel does when it dies",
	.help =
"Prints what ftrace_dump() prints when the program calls it, or when the program\n"
"dies of a signal and the variable ULF_DUMP_ON_CRASH was set.  Needs no server,\n"
"and changes nothing: the records stay, and recording goes on.  Without ROOT, the\n"
"only root that is alive is used.  ROOT may be shortened as in `ulf help cat`.\n"
"\n"
"  -c, --cpu=N        print only the records of CPU N; `all`: of all CPUs\n",
	.is_for_users = true,
	.may_take_long = true,
	.run = cmd_dump,
};
