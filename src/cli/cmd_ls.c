/* SPDX-License-Identifier: MIT */
/* ulf ls: the roots, or a directory of the tree. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/root.h"
#include "cli/terminal.h"

static void print_row(const struct abi_root_row *row, int name_width)
{
	char events[32];

	if (row->state >= ABI_ROOT_CORRUPT) {
		terminal_line(stdout, "%-*s %8s %-8s %11s %12s %10s", name_width,
			      row->name, "-", root_state_name(row->state), "-", "-", "-");
		return;
	}
	if (row->events_known == ABI_EVENTS_UNREAD) {
		terminal_line(stdout, "%-*s %8u %-8s %11s %12s %10s", name_width, row->name,
			      row->pid, root_state_name(row->state), "?", "?", "?");
		return;
	}
	snprintf(events, sizeof(events), "%u/%u", row->events_on, row->events_known);
	terminal_line(stdout, "%-*s %8u %-8s %11s %12" PRIu64 " %10" PRIu64, name_width,
		      row->name, row->pid, root_state_name(row->state), events, row->bytes,
		      row->overruns);
}

static void print_table(const struct root_list *list)
{
	int width = 20;
	size_t i;

	for (i = 0; i < list->nr; i++) {
		if ((int)strlen(list->rows[i].name) > width)
			width = (int)strlen(list->rows[i].name);
	}
	terminal_line(stdout, "%-*s %8s %-8s %11s %12s %10s", width, "ROOT", "PID",
		      "STATE", "EVENTS", "BYTES", "OVERRUNS");
	for (i = 0; i < list->nr; i++)
		print_row(&list->rows[i], width);
}

/* @started_ns of CLOCK_BOOTTIME as a date. */
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

static void print_block(const struct abi_root_row *row)
{
	char start[32];

	terminal_line(stdout, "%s", row->name);
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

static int list_roots(struct conn *conn, bool is_all)
{
	struct root_list list;
	size_t i;

	if (root_list_get(conn, ABI_LIST_ALL, &list) < 0)
		return CLI_FAILED;
	if (!is_all)
		print_table(&list);
	for (i = 0; is_all && i < list.nr; i++)
		print_block(&list.rows[i]);
	root_list_done(&list);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a + 1, *(char *const *)b + 1);
}

/* The entries are d or -, a name, NUL each. */
static int print_entries(const struct text *text)
{
	size_t at, nr = 0, room = 1;
	const char **entries;

	for (at = 0; at < text->len; at++)
		room += !text->data[at];
	entries = calloc(room, sizeof(*entries));
	if (!entries)
		return -ENOMEM;
	for (at = 0; at < text->len && nr < room; at += strlen(text->data + at) + 1)
		entries[nr++] = text->data + at;
	qsort(entries, nr, sizeof(*entries), by_text);
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
		root_path_error(path, ret);
	free(path);
	return ret < 0 && ret != -ENOTDIR ? CLI_FAILED : 0;
}

int cmd_ls(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	bool is_all = false;
	int option, status;
	struct conn conn;

	while ((option = cli_option(cmd, argc, argv, "ah", options, &status)) != -1) {
		if (option == -2)
			return status;
		is_all = true;
	}
	if (argc - optind > 1 || (is_all && optind < argc))
		return cli_usage(cmd);
	if (conn_open(&conn, CONN_START) < 0)
		return CLI_FAILED;
	if (optind < argc)
		status = list_directory(&conn, argv[optind]);
	else
		status = list_roots(&conn, is_all);
	conn_close(&conn);
	return status;
}
