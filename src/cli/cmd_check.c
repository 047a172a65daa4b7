/* SPDX-License-Identifier: MIT */
/* ulf check: list the events that cannot be printed as their print fmt says, and explain
 * why. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/cli.h"
#include "cli/conn.h"
#include "cli/cli_roots.h"
#include "cli/terminal.h"
#include "event/format.h"
#include "event/print.h"

#define SHOWN_BEFORE	40		/* maximum number of characters of a print fmt
					 * that are shown before an error */
#define SHOWN_AFTER	36		/* maximum number of characters of a print fmt
					 * that are shown after an error */

struct count {
	unsigned int nr_events, nr_fields_only;	/* nr_events: number of all events;
						 * nr_fields_only: number of events whose
						 * print fmt cannot be compiled, so that they
						 * are printed as plain fields */
};

/* Print the text of the print fmt around @pos as one line, and a caret below the character at
 * @pos. */
static void print_error_position(const char *print_fmt, size_t pos)
{
	size_t len = strlen(print_fmt), start, end, i;

	start = pos > SHOWN_BEFORE ? pos - SHOWN_BEFORE : 0;
	end = len - pos > SHOWN_AFTER ? pos + SHOWN_AFTER : len;
	printf("    %s", start ? "..." : "");
	for (i = start; i < end; i++)
		putchar(print_fmt[i] < ' ' || print_fmt[i] == 0x7f ? ' ' : print_fmt[i]);
	printf("%s\n    %*s^\n", end < len ? "..." : "",
	       (int)(pos - start + (start ? 3 : 0)), "");
}

/* Print a remark for each field that is a pointer to a string. */
static void note_pointers(const struct event_format *fmt)
{
	for (size_t i = 0; i < fmt->nr_fields; i++) {
		const struct event_field *field = &fmt->fields[i];

		if (strcmp(field->type, "char *") && strcmp(field->type, "const char *"))
			continue;
		terminal_line(stdout, "%s:%s: note: %s is a pointer: strings that the program "
			      "may change are not printed", fmt->system, fmt->name,
			      field->name);
		puts("  remedy: __string() keeps them");
	}
}

static void check_format(const struct event_format *fmt, struct count *count)
{
	const struct print_names names = { .skip_tables = true };
	struct print_program *program = NULL;
	struct print_error error;

	count->nr_events++;
	if (print_compile_names(fmt, &names, &program, &error) == 0) {
		print_program_free(program);
		note_pointers(fmt);
		return;
	}
	count->nr_fields_only++;
	terminal_line(stdout, "%s:%s: %s", fmt->system, fmt->name, error.message);
	print_error_position(fmt->print_fmt, error.pos);
	if (error.remedy)
		printf("  remedy: %s\n", error.remedy);
}

/* Check whether an event can be printed as its print fmt says.  @event: "system:name"; this
 * function replaces the colon by a NUL. */
static int check_event(struct conn *conn, const char *root, char *event,
		       struct count *count)
{
	char *colon = strchr(event, ':'), *path;
	struct event_format *fmt;
	struct text text;
	int ret;

	if (!colon)
		return -EINVAL;
	*colon = '\0';
	if (asprintf(&path, "%s/events/%s/%s/format", root, event, colon + 1) < 0)
		return -ENOMEM;
	ret = conn_file_text(conn, path, &text);
	if (!ret)
		ret = event_format_parse(event, text_str(&text), &fmt);
	text_done(&text);
	free(path);
	if (ret == -ENOENT)		/* not an error: the event's module was just unloaded */
		return 0;
	if (!ret) {
		check_format(fmt, count);
		event_format_free(fmt);
	}
	return ret;
}

static int compare_event_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Check all events in @list, a text with one event on each line, sorted by name. */
static int check_event_list(struct conn *conn, const char *root, char *list,
			    struct count *count)
{
	size_t nr = 0, room = 1;
	char **events, *save;
	int ret = 0;

	for (const char *p = list; *p; p++)
		room += *p == '\n';
	events = calloc(room, sizeof(*events));
	if (!events)
		return -ENOMEM;
	for (char *p = strtok_r(list, "\n", &save); p; p = strtok_r(NULL, "\n", &save))
		events[nr++] = p;
	qsort(events, nr, sizeof(*events), compare_event_names);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = check_event(conn, root, events[i], count);
	free(events);
	return ret;
}

static int check_root_events(struct conn *conn, const char *root, struct count *count)
{
	struct text events;
	char *path;
	int ret;

	if (asprintf(&path, "%s/available_events", root) < 0)
		return -ENOMEM;
	ret = conn_file_text(conn, path, &events);
	text_putc(&events, '\0');
	if (!ret)
		ret = events.error;
	if (!ret)
		ret = check_event_list(conn, root, events.data, count);
	text_done(&events);
	free(path);
	return ret;
}

/* Check all events of a root and print the totals.  Returns the exit status, which is 0 if
 * all events are printed as their print fmt says. */
static int check_root(struct conn *conn, const char *root)
{
	struct count count = { 0 };
	int ret = check_root_events(conn, root, &count);

	if (ret < 0) {
		root_path_error(root, ret);
		return CLI_FAILED;
	}
	terminal_print(stdout, "%s: %u event%s, ", root, count.nr_events,
		       count.nr_events == 1 ? "" : "s");
	if (!count.nr_fields_only) {
		puts("all are printed with their print fmt");
		return 0;
	}
	printf("%u of them printed as plain fields\n", count.nr_fields_only);
	return CLI_FAILED;
}

static int check_all_roots(struct conn *conn)
{
	struct root_list list;
	int status = 0;

	if (root_list_get(conn, ABI_LIST_NAMES, &list) < 0)
		return CLI_FAILED;
	for (size_t i = 0; i < list.nr; i++) {
		if (list.rows[i].state < ABI_ROOT_CORRUPT &&
		    check_root(conn, list.rows[i].name))
			status = CLI_FAILED;
	}
	root_list_done(&list);
	return status;
}

static int check_named_root(struct conn *conn, const char *word)
{
	char *root;
	int status;

	if (strchr(word, '/')) {
		cli_error("%s: give a root, as `ulf ls` lists them: a program is checked "
			  "while it runs or after its end", word);
		return CLI_FAILED;
	}
	if (root_path(conn, word, &root) < 0)
		return CLI_FAILED;
	status = check_root(conn, root);
	free(root);
	return status;
}

static int cmd_check(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	struct conn conn;
	int status = 0;

	if (cli_option(cmd, argc, argv, "h", options, &status) != -1)
		return status;
	if (conn_open(&conn, CONN_START) < 0)
		return CLI_FAILED;
	if (optind == argc)
		status = check_all_roots(&conn);
	for (; optind < argc; optind++) {
		if (check_named_root(&conn, argv[optind]))
			status = CLI_FAILED;
	}
	conn_close(&conn);
	return status;
}

const struct cli_cmd cli_check = {
	.name = "check",
	.args = "[ROOT]...",
	.summary = "list events that cannot be printed with their print fmt, and why",
	.help =
"Reads the print fmt of every event of the given roots, or of all roots, as the\n"
"server does.  If a print fmt needs a value that only the program knows (an enum,\n"
"a function, a member of a struct), prints the position, and what to change in\n"
"the trace header.  Such an event is printed as the names and values of its\n"
"fields.  The exit status is 1 if there is such an event.\n",
	.is_for_users = true,
	.run = cmd_check,
};
