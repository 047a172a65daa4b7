/* SPDX-License-Identifier: MIT */
/* ulf complete: find values of options and operands, by their placeholders in help texts; see
 * complete.h. */
#include <dirent.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/dir.h"
#include "cli/cli_roots.h"
#include "cli/complete.h"
#include "cli/conn.h"
#include "cli/event_path.h"
#include "cli/pid_find.h"
#include "cli/top.h"
#include "event/clock.h"
#include "event/option.h"
#include "event/tracer.h"

#define NAME_BYTES	512

/* A function that offers a line of a file as a completion. */
typedef void (*offer_line_fn)(const struct complete *complete, char *line);

/* Return the part of the word that is completed. */
static const char *typed(const struct complete *complete)
{
	return complete->word + complete->prefix;
}

/* ---- roots ---- */

/* Offer the names of all roots, with @end appended to each.  The names are read from the ulf
 * directory, so that no server is needed. */
static void offer_root_names(const struct complete *complete, const char *end)
{
	char dir[DIR_PATH_BYTES], roots[DIR_PATH_BYTES], name[NAME_BYTES];
	struct dirent *entry;
	DIR *stream;

	if (complete->is_other_user || dir_find(dir) < 0 ||
	    dir_join(dir, DIR_ROOTS, roots, sizeof(roots)) < 0)
		return;
	stream = opendir(roots);
	while (stream && (entry = readdir(stream))) {
		snprintf(name, sizeof(name), "%s%s", entry->d_name, end);
		if (entry->d_name[0] != '.')
			complete_offer_row(complete, name, NULL);
	}
	if (stream)
		closedir(stream);
}

static void offer_roots(const struct complete *complete)
{
	offer_root_names(complete, "");
}

/* Connect to the server and list the roots.  Returns false if that fails; then the caller has
 * nothing to free. */
static bool list_roots(const struct complete *complete, struct conn *conn,
		       struct root_list *ret_list)
{
	if (!complete->is_other_user && conn_open(conn, 0) >= 0 &&
	    root_list_fetch(conn, ABI_LIST_NAMES, 0, ret_list) >= 0)
		return true;
	if (!complete->is_other_user)
		conn_close(conn);
	return false;
}

/* Offer each line of the file @name of the root @root as a completion. */
static void offer_lines(const struct complete *complete, struct conn *conn, const char *root,
			const char *name, offer_line_fn offer)
{
	char path[NAME_BYTES], *lines, *line;
	struct text text;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	if (conn_file_text(conn, path, &text) >= 0) {
		for (lines = (char *)text_str(&text); (line = strsep(&lines, "\n")); ) {
			if (*line)
				offer(complete, line);
		}
	}
	text_done(&text);
}

/* Offer each line of the file @name as a completion.  The file is that of the root that an
 * operand names.  If no operand names a root, it is that of every root that is alive. */
static void offer_file(const struct complete *complete, const char *name, offer_line_fn offer)
{
	const struct abi_root_row *found = NULL, *row;
	struct root_list list;
	struct conn conn;
	size_t i;

	if (!list_roots(complete, &conn, &list))
		return;
	for (i = 0; i < complete->nr_operands && !found; i++)
		found = root_list_search(&list, complete->operands[i],
					 strcspn(complete->operands[i], "/"));
	for (row = list.rows; row < list.rows + list.nr; row++) {
		if (found ? row == found : row->state == ABI_ROOT_ALIVE)
			offer_lines(complete, &conn, row->name, name, offer);
	}
	root_list_done(&list);
	conn_close(&conn);
}

/* ---- values: events, fields, functions ---- */

/* Offer SYSTEM:EVENT as a completion.  If the user has begun to type a name, also offer
 * EVENT. */
static void offer_event(const struct complete *complete, char *line)
{
	const char *colon = strchr(line, ':');

	complete_offer_row(complete, line, NULL);
	if (colon && *typed(complete))
		complete_offer_row(complete, colon + 1, NULL);
}

static void offer_events(const struct complete *complete)
{
	offer_file(complete, "available_events", offer_event);
}

/* A line consists of the name of a function and possibly further words. */
static void offer_function(const struct complete *complete, char *line)
{
	line[strcspn(line, " ")] = '\0';
	complete_offer_row(complete, line, NULL);
}

static void offer_functions(const struct complete *complete)
{
	if (*typed(complete))		/* offer no functions for an empty word, because a
					 * program may have a million functions */
		offer_file(complete, "available_filter_functions", offer_function);
}

/* Offer the field that a line of `format` describes: "\tfield:TYPE NAME;" or
 * "\tfield:TYPE NAME[N];" */
static void offer_field(const struct complete *complete, char *line)
{
	static const char start[] = "\tfield:";
	char *end = line + strcspn(line, ";"), *name;

	if (strncmp(line, start, sizeof(start) - 1))
		return;
	*end = '\0';
	if (end[-1] == ']')
		*strrchr(line, '[') = '\0';
	name = strrchr(line, ' ');
	if (name)
		complete_offer_row(complete, name + 1, NULL);
}

/* Offer the fields of the event that the last operand names.  The operand before the last
 * names the root. */
static void offer_fields(const struct complete *complete)
{
	const char *const *end = complete->operands + complete->nr_operands;
	struct event_path event;
	struct conn conn;

	if (complete->is_other_user || complete->nr_operands < 2 || conn_open(&conn, 0) < 0)
		return;
	if (event_path_find(&conn, end[-2], end[-1], &event) >= 0)
		offer_lines(complete, &conn, event.dir, "format", offer_field);
	event_path_done(&event);
	conn_close(&conn);
}

/* ---- the tree ---- */

/* Offer the entries of a directory as completions.  In @entries each entry consists of 'd' or
 * '-', the name and a NUL.  @dir_len: length of the directory's path in the word, with the
 * slash at its end. */
static void offer_entries(const struct complete *complete, struct text *entries, size_t dir_len)
{
	const char *entry = text_str(entries), *end = entry + entries->len;
	char name[NAME_BYTES];

	for (; entry < end; entry += strlen(entry) + 1) {
		if (!*entry)
			continue;
		snprintf(name, sizeof(name), "%.*s%s%s", (int)dir_len, typed(complete), entry + 1,
			 *entry == 'd' ? "/" : "");
		complete_offer_row(complete, name, NULL);
	}
}

static void offer_paths(const struct complete *complete)
{
	const char *word = typed(complete), *slash = strrchr(word, '/');
	const struct abi_root_row *row;
	char path[NAME_BYTES];
	struct root_list list;
	struct conn conn;

	if (!slash) {
		offer_root_names(complete, "/");
		return;
	}
	if (!list_roots(complete, &conn, &list))
		return;
	row = root_list_search(&list, word, strcspn(word, "/"));
	if (row) {
		word += strcspn(word, "/");
		snprintf(path, sizeof(path), "%s%.*s", row->name, (int)(slash - word), word);
		if (conn_path(&conn, ABI_SOCKET_READDIR, path) >= 0)
			offer_entries(complete, &conn.data, (size_t)(slash + 1 - typed(complete)));
	}
	root_list_done(&list);
	conn_close(&conn);
}

/* ---- values: processes and users ---- */

static void offer_process(void *arg, pid_t pid, const char *comm)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", pid);
	complete_offer_row(arg, number, comm);
	complete_offer_row(arg, comm, number);
}

static void offer_pids(const struct complete *complete)
{
	pid_each(offer_process, (void *)complete);
}

static void offer_users(const struct complete *complete)
{
	const struct passwd *entry;

	setpwent();
	while ((entry = getpwent()))
		complete_offer_row(complete, entry->pw_name, NULL);
	endpwent();
}

/* ---- rows of tables ---- */

static void offer_tracers(const struct complete *complete)
{
	for (size_t i = 0; i < NR_TRACERS; i++)
		complete_offer_row(complete, tracer_table[i].name, tracer_table[i].help);
}

static void offer_clocks(const struct complete *complete)
{
	for (size_t i = 0; i < clock_table_rows; i++)
		complete_offer_row(complete, clock_nth(i)->name, clock_nth(i)->help);
}

static void offer_trace_options(const struct complete *complete)
{
	char name[NAME_BYTES];

	for (size_t i = 0; i < option_table_rows; i++) {
		complete_offer_row(complete, option_table[i].name, NULL);
		snprintf(name, sizeof(name), "no%s", option_table[i].name);
		complete_offer_row(complete, name, NULL);
	}
}

static void offer_columns(const struct complete *complete)
{
	for (size_t i = 0; i < TOP_COLUMNS; i++)
		complete_offer_row(complete, top_columns[i].name, NULL);
}

/* ---- values that the shell completes itself ---- */

static void ask_for_files(const struct complete *complete)
{
	(void)complete;
	puts(":files");
}

static void ask_for_dirs(const struct complete *complete)
{
	(void)complete;
	puts(":dirs");
}

/* ---- placeholders ---- */

static const struct placeholder {
	const char *name;
	void (*offer)(const struct complete *complete);
	bool is_list;			/* true: a word may be a list of values, separated by
					 * commas */
} placeholders[] = {
	{ "CLOCK", offer_clocks, false },
	{ "COLUMN", offer_columns, false },
	{ "DIR", ask_for_dirs, false },
	{ "EVENT", offer_events, true },
	{ "EVENTS", offer_events, true },
	{ "FIELD", offer_fields, false },
	{ "FILE", ask_for_files, false },
	{ "FUNCTIONS", offer_functions, true },
	{ "GLOB", offer_functions, false },
	{ "KEY", offer_fields, true },
	{ "OPTIONS", offer_trace_options, true },
	{ "OUTPUT", ask_for_files, false },
	{ "PATH", offer_paths, false },
	{ "PID", offer_pids, false },
	{ "ROOT", offer_roots, false },
	{ "TRACER", offer_tracers, false },
	{ "USER", offer_users, false },
};

/* Offer the values that the command's table row lists for the placeholder @name. */
static void offer_choices(const struct complete *complete, const struct usage_word *name)
{
	const char *at = complete->cmd && complete->cmd->choices ? complete->cmd->choices : "";
	char value[NAME_BYTES];

	if (strncmp(at, name->text, name->len) || at[name->len] != ':')
		return;
	for (at += name->len + 1; *(at += strspn(at, " ")); at += strlen(value)) {
		snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, " "), at);
		complete_offer_row(complete, value, NULL);
	}
}

void complete_value(const struct complete *complete, const struct usage_word *name)
{
	struct complete item = *complete;
	const char *comma = strrchr(typed(complete), ',');
	size_t i;

	offer_choices(complete, name);
	for (i = 0; i < sizeof(placeholders) / sizeof(placeholders[0]); i++) {
		if (!usage_word_is(name, placeholders[i].name))
			continue;
		if (comma && placeholders[i].is_list)
			item.prefix = (size_t)(comma + 1 - item.word);
		placeholders[i].offer(&item);
	}
}
