/* SPDX-License-Identifier: MIT */
/* ulf ls: list the roots, or a directory of the tree. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/dir_list.h"
#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/cli_roots.h"
#include "cli/ls_watch.h"
#include "cli/root_table.h"
#include "cli/terminal.h"
#include "cli/users.h"

#define LOGIN_UID_MIN	1000u		/* smallest user id of a person; smaller ids belong to
					 * system users */
#define LINE_BYTES	(64u << 10)

static void print_titles(const struct root_columns *columns)
{
	struct text line;

	text_init(&line, LINE_BYTES);
	root_table_put_titles(columns, &line);
	fputs(text_str(&line), stdout);
	text_done(&line);
}

static void print_row(const struct root_columns *columns, const char *user,
		      const struct abi_root_row *row)
{
	struct text line;

	text_init(&line, LINE_BYTES);
	root_table_put_row(columns, user, row, root_state_name(row->state), terminal_is(stdout),
			   &line);
	fputs(text_str(&line), stdout);
	text_done(&line);
}

static void print_root_table(const struct root_list *list)
{
	struct root_columns columns = { .name = ROOT_NAME_WIDTH };
	size_t i;

	root_table_widen_names(&columns, list);
	print_titles(&columns);
	for (i = 0; i < list->nr; i++)
		print_row(&columns, NULL, &list->rows[i]);
}

/* Write the date for @started_ns, a time of CLOCK_BOOTTIME, to @ret_text. */
static void format_start(uint64_t started_ns, char *ret_text, size_t bytes)
{
	struct timespec boot, real;
	struct tm tm;
	time_t start;

	clock_gettime(CLOCK_BOOTTIME, &boot);
	clock_gettime(CLOCK_REALTIME, &real);
	start = real.tv_sec - boot.tv_sec + (time_t)(started_ns / 1000000000);
	if (!localtime_r(&start, &tm) || !strftime(ret_text, bytes, "%F %T", &tm))
		snprintf(ret_text, bytes, "?");
}

/* Print all details of a root.  @user: name of the owner; NULL: do not print the
 * owner. */
static void print_root_details(const char *user, const struct abi_root_row *row)
{
	char start[32];

	terminal_line(stdout, "%s", row->name);
	if (user)
		terminal_line(stdout, "  user       %s", user);
	terminal_line(stdout, "  state      %s", root_state_name(row->state));
	if (row->state == ABI_ROOT_FOREIGN) {
		puts("  remedy     the ulf that belongs to its libulf: this is another version");
		return;
	}
	if (row->state == ABI_ROOT_CORRUPT) {
		terminal_line(stdout, "  remedy     ulf rm %s", row->name);
		return;
	}
	format_start(row->started_ns, start, sizeof(start));
	terminal_line(stdout, "  pid        %u", row->pid);
	terminal_line(stdout, "  processes  %u alive", row->nr_processes);
	terminal_line(stdout, "  started    %s", start);
	if (row->events_known == ABI_EVENTS_UNREAD) {
		terminal_line(stdout, "  recorded   not counted yet: there are many roots; "
			      "list them again");
		return;
	}
	terminal_line(stdout, "  events     %u on, %u known", row->events_on, row->events_known);
	terminal_line(stdout, "  recorded   %" PRIu64 " records, %" PRIu64 " bytes",
		      row->entries, row->bytes);
	terminal_line(stdout, "  lost       %" PRIu64 " records", row->overruns);
}

/* Callback of dir_each_other(): print that this user has more roots in the directory
 * @path. */
static void report_other_directory(void *arg, const char *path)
{
	struct user user;

	(void)arg;
	if (!user_is_entered()) {
		cli_error("there are more roots of this user in %s; `ULF_DIR=%s ulf ls` lists "
			  "them", path, path);
		return;
	}
	/* User id 0 must not use its rights in another user's directory.  So print a command
	 * that runs ulf as the owner of the directory. */
	user_get(geteuid(), &user);
	if (user.is_known)
		cli_error("there are more roots of %s in %s; `runuser -u %s -- env ULF_DIR=%s "
			  "ulf ls` lists them", user.name, path, user.name, path);
	else
		cli_error("there are more roots of %s in %s; `setpriv --reuid=%u --regid=%u "
			  "--clear-groups env ULF_DIR=%s ulf ls` lists them", user.name, path,
			  user.uid, user.gid, path);
}

/* Return true if logind runs.  Two directories must exist.  That of logind alone proves
 * nothing: the package contains it, and in a container /run may be a part of the image.  The
 * other is made by systemd when it boots. */
static bool has_logind(void)
{
	return access("/run/systemd/system", F_OK) == 0 && access("/run/systemd/seats", F_OK) == 0;
}

/*
 * Return true if logind removes the roots in @dir when this user logs out (RemoveIPC=).
 * logind removes neither files of system users, nor files of users with `loginctl
 * enable-linger`, nor files in /run/ulf; see docs/design/places.md.
 */
static bool is_removed_at_logout(const char *dir)
{
	const char *env = getenv("ULF_DIR");
	char linger[USER_NAME_BYTES + 32];
	struct user user;

	if ((env && *env) || strncmp(dir, "/dev/shm/", 9) || geteuid() < LOGIN_UID_MIN ||
	    !has_logind() || access("/run/ulf", F_OK) == 0)
		return false;
	user_get(geteuid(), &user);
	snprintf(linger, sizeof(linger), "/var/lib/systemd/linger/%s", user.name);
	return access(linger, F_OK) < 0;
}

static void report_no_roots(const char *dir)
{
	if (is_removed_at_logout(dir))
		cli_error("there are no roots; records in /dev/shm are removed at the last logout, "
			  "unless `loginctl enable-linger`, or `systemctl start run-ulf.mount` by "
			  "root, was run before");
}

static int list_roots(struct conn *conn, bool is_long)
{
	struct root_list list;
	size_t i;

	if (root_list_get(conn, ABI_LIST_ALL, &list) < 0)
		return CLI_FAILED;
	if (!is_long)
		print_root_table(&list);
	for (i = 0; is_long && i < list.nr; i++)
		print_root_details(NULL, &list.rows[i]);
	if (!list.nr)
		report_no_roots(conn->dir);
	root_list_done(&list);
	dir_each_other(conn->dir, report_other_directory, NULL);
	return 0;
}

/* ---- list the roots of all users ---- */

static void print_users(const struct users *users, bool is_long)
{
	struct root_columns columns = { .user = 8, .name = ROOT_NAME_WIDTH };
	const struct user_roots *roots;
	size_t i;

	for (roots = users->all; roots < users->all + users->nr; roots++) {
		if (roots->list.nr)
			root_table_widen(&columns.user, roots->user.name);
		root_table_widen_names(&columns, &roots->list);
	}
	if (!is_long)
		print_titles(&columns);
	for (roots = users->all; roots < users->all + users->nr; roots++) {
		for (i = 0; i < roots->list.nr; i++) {
			if (is_long)
				print_root_details(roots->user.name, &roots->list.rows[i]);
			else
				print_row(&columns, roots->user.name, &roots->list.rows[i]);
		}
	}
}

static int list_all_users(bool is_long)
{
	struct users users;
	int status = 0, ret;
	size_t i;

	ret = users_get(USERS_LIST_MS, false, &users);
	if (ret < 0) {
		cli_error("the roots of all users: %s", strerror(-ret));
		return CLI_FAILED;
	}
	print_users(&users, is_long);
	for (i = 0; i < users.nr; i++) {
		if (users.all[i].is_failed)
			status = CLI_FAILED;
	}
	if (users.is_cut) {
		cli_error("not all users are listed: /dev/shm or /run/ulf has more than 100,000 "
			  "names like those of ulf, or directories of more than 4,096 users; "
			  "`ls -l` shows whose they are");
		status = CLI_FAILED;
	}
	users_done(&users);
	if (geteuid() != 0)
		cli_error("only root sees the roots of other users");
	return status;
}

/* ---- list the entries of a directory ---- */

static int compare_entries(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a + 1, *(char *const *)b + 1);
}

/* Print the entries of a directory, sorted.  In @text each entry consists of 'd' or '-', the
 * name and a NUL. */
static int print_entries(const struct text *text)
{
	size_t at, nr = 0, room = 1;
	const char **entries;

	for (at = 0; at < text->len; at++)
		room += !text->data[at];
	entries = calloc(room, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	for (at = 0; at < text->len && nr < room; at += strlen(text->data + at) + 1) {
		if (text->data[at])
			entries[nr++] = text->data + at;
	}
	qsort(entries, nr, sizeof(*entries), compare_entries);
	for (at = 0; at < nr; at++)
		terminal_line(stdout, "%s%s", entries[at] + 1, entries[at][0] == 'd' ? "/" : "");
	free(entries);
	return 0;
}

static int list_directory(struct conn *conn, const char *word)
{
	char *path;
	int ret;

	ret = root_path(conn, word, &path);
	if (ret < 0)
		return CLI_FAILED;
	ret = conn_path(conn, ABI_SOCKET_READDIR, path);
	if (ret >= 0)
		ret = print_entries(&conn->data);
	if (ret == -ENOTDIR)
		terminal_line(stdout, "%s", path);
	else if (ret < 0)
		root_path_typed_error(conn, path, ret);
	free(path);
	return ret < 0 && ret != -ENOTDIR ? CLI_FAILED : 0;
}

static int cmd_ls(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "long", no_argument, NULL, 'l' },
		{ "watch", no_argument, NULL, 'w' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool is_all = false, is_long = false, is_watch = false;
	int option, status;
	struct conn conn;

	while ((option = cli_option(cmd, argc, argv, "alwh", options, &status)) != -1) {
		if (option == -2)
			return status;
		is_all |= option == 'a';
		is_long |= option == 'l';
		is_watch |= option == 'w';
	}
	if (argc - optind > 1 || ((is_all || is_long || is_watch) && optind < argc) ||
	    (is_watch && (is_all || is_long)))
		return cli_usage(cmd);
	if (is_watch && user_is_entered()) {
		cli_error("--watch is not for --user: run it as the user");
		return CLI_USAGE;
	}
	if (is_all)
		return list_all_users(is_long);
	if (conn_open(&conn, CONN_START) < 0)
		return CLI_FAILED;
	if (is_watch)
		status = ls_watch(&conn);
	else if (optind < argc)
		status = list_directory(&conn, argv[optind]);
	else
		status = list_roots(&conn, is_long);
	conn_close(&conn);
	return status;
}

const struct cli_cmd cli_ls = {
	.name = "ls",
	.args = "[--long] [--all] [--watch] [PATH]",
	.summary = "list the roots: traced programs, alive and dead",
	.help =
"Prints one line for each root: name, process id, state (alive, dead, corrupt, or\n"
"foreign: of another version), events that are on and events that exist, bytes\n"
"that can be read, and records that were lost.  With PATH, lists this directory\n"
"of the tree (see `ulf help cat`).\n"
"\n"
"  -l, --long         print all that is known of each root\n"
"  -a, --all          list the roots of all users (only root can); uses no server\n"
"  -w, --watch        show the list until q or ^C, and refresh it twice a second; if\n"
"                     the output is no terminal, print a line for each root, for each\n"
"                     new state of a root, and for roots that are gone\n",
	.is_for_users = true,
	.run = cmd_ls,
};
