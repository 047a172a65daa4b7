/* SPDX-License-Identifier: MIT */
/* ulf detach: switch off everything that is traced in a root. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/conn.h"
#include "cli/terminal.h"
#include "cli/tree_write.h"

#define MAX_REMOVED_BYTES 65536

struct detach {
	struct conn conn;
	char *root;
	int error;			/* -errno of the first write that has failed; 0: none
					 * has failed */
};

/* Write @text to the file @dir/@name.  If that fails, print the reason unless @is_quiet is
 * set.  Returns 0 or -errno. */
static int do_write(struct detach *detach, const char *dir, const char *name, const char *text,
		    bool is_quiet)
{
	struct tree_write write;
	char *path;
	int r;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	tree_write_init(&write, path, text, O_TRUNC);
	r = tree_write(&detach->conn, &write);
	if (r < 0 && r != -ENOENT && !is_quiet)
		tree_write_error(&write, r);
	tree_write_done(&write);
	free(path);
	return r < 0 ? r : 0;
}

/* Write @text to the file @dir/@name.  It is no error if the file does not exist: then there
 * is nothing to switch off. */
static void write_file(struct detach *detach, const char *dir, const char *name, const char *text)
{
	int r = do_write(detach, dir, name, text, false);

	if (r && r != -ENOENT && !detach->error)
		detach->error = r;
}

/* Call @see for each entry of the directory @path. */
static void for_each_entry(struct detach *detach, const char *path,
			   void (*see)(struct detach *detach, const char *path))
{
	char *entries, *entry, *at;
	size_t len;

	if (conn_path(&detach->conn, ABI_SOCKET_READDIR, path) < 0)
		return;
	len = detach->conn.data.len;
	entries = malloc(len + 1);
	if (!entries) {
		detach->error = -ENOMEM;
		return;
	}
	memcpy(entries, detach->conn.data.data, len);
	entries[len] = '\0';
	/* Each entry consists of the character d or -, a name and a NUL. */
	for (at = entries; at < entries + len; at += strlen(at) + 1) {
		if (*at != 'd' || asprintf(&entry, "%s/%s", path, at + 1) < 0)
			continue;
		see(detach, entry);
		free(entry);
	}
	free(entries);
}

/* ---- triggers ---- */

/* Return true if the trigger @line has an action such as ":onmatch(".  Such a trigger must be
 * removed first: its actions refer to other histograms, which cannot be removed before it. */
static bool has_action(const char *line)
{
	const char *on = strstr(line, ":on");

	return on && strchr(on, '(');
}

/* Remove triggers of the file @path/trigger: those that have an action if @with_action, else
 * those that have none.  A line of the file is the trigger as it was written, with its state
 * in brackets. */
static void remove_triggers(struct detach *detach, const char *path, bool with_action)
{
	char *file, *line, *save = NULL, *command;
	struct text text;

	if (asprintf(&file, "%s/trigger", path) < 0)
		return;
	if (!conn_file_text(&detach->conn, file, &text)) {
		for (line = strtok_r((char *)text_str(&text), "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			if (*line == '#' || has_action(line) != with_action)
				continue;
			if (strstr(line, " ["))
				*strstr(line, " [") = '\0';
			if (asprintf(&command, "!%s\n", line) < 0)
				continue;
			write_file(detach, path, "trigger", command);
			free(command);
		}
	}
	text_done(&text);
	free(file);
}

static void remove_actions(struct detach *detach, const char *path)
{
	remove_triggers(detach, path, true);
}

static void remove_plain(struct detach *detach, const char *path)
{
	remove_triggers(detach, path, false);
}

static void actions_of_system(struct detach *detach, const char *path)
{
	for_each_entry(detach, path, remove_actions);
}

static void plain_of_system(struct detach *detach, const char *path)
{
	for_each_entry(detach, path, remove_plain);
}

static void remove_all_triggers(struct detach *detach, const char *instance)
{
	char *events;

	if (asprintf(&events, "%s/events", instance) < 0)
		return;
	for_each_entry(detach, events, actions_of_system);
	for_each_entry(detach, events, plain_of_system);
	free(events);
}

/* ---- remove commands of functions ---- */

/* Cut the count off @line, a line FUNCTION:COMMAND:COUNT of set_ftrace_filter.  COUNT is
 * "unlimited" or "count=N".  Returns the text that must follow the command to remove it: any
 * count for a command with a count, "" for a command without a count. */
static const char *cut_count(char *line)
{
	char *unlimited = strstr(line, ":unlimited"), *count = strstr(line, ":count=");

	if (unlimited)
		*unlimited = '\0';
	if (count)
		*count = '\0';
	return count ? ":0" : "";
}

/* Return the part ":COMMAND" of @line; NULL if there is none.  A "::" of a C++ name does not
 * begin a command. */
static const char *command_of(const char *line)
{
	const char *at = line;

	while ((at = strchr(at, ':')) && at[1] == ':')
		at += 2;
	return at;
}

/* Remove the command that @line names from all functions.  @removed: the removals that were
 * written already, so that none is repeated. */
static void remove_everywhere(struct detach *detach, const char *instance, char *line,
			      struct text *removed)
{
	const char *count = cut_count(line), *command = command_of(line);
	char *text;

	if (!command || asprintf(&text, "!*%s%s\n", command, count) < 0)
		return;
	if (!strstr(text_str(removed), text)) {
		text_write(removed, text, strlen(text));
		do_write(detach, instance, "set_ftrace_filter", text, true);
	}
	free(text);
}

/* Remove the command that @line names from the function that @line names. */
static void remove_command(struct detach *detach, const char *instance, char *line, bool is_quiet)
{
	const char *count = cut_count(line);
	char *text;

	if (asprintf(&text, "!%s%s\n", line, count) < 0)
		return;
	if (is_quiet)
		do_write(detach, instance, "set_ftrace_filter", text, true);
	else
		write_file(detach, instance, "set_ftrace_filter", text);
	free(text);
}

enum removal { BY_GLOB, BY_NAME, LOUDLY };

/* Remove each command that is listed in set_ftrace_filter. */
static void remove_listed(struct detach *detach, const char *instance, enum removal how)
{
	char *file, *line, *save = NULL;
	struct text text, removed;

	if (asprintf(&file, "%s/set_ftrace_filter", instance) < 0)
		return;
	text_init(&removed, MAX_REMOVED_BYTES);
	if (!conn_file_text(&detach->conn, file, &text)) {
		for (line = strtok_r((char *)text_str(&text), "\n", &save); line;
		     line = strtok_r(NULL, "\n", &save)) {
			if (*line == '#' || !strchr(line, ':'))
				continue;
			if (how == BY_GLOB)
				remove_everywhere(detach, instance, line, &removed);
			else
				remove_command(detach, instance, line, how != LOUDLY);
		}
	}
	text_done(&removed);
	text_done(&text);
	free(file);
}

/*
 * Remove all commands of functions.
 *
 * First remove each command from all functions by one write, because one write for each
 * function would stop the threads of the program thousands of times.  Functions with equal
 * names have a line each.  The first write for such a name removes the command from all these
 * functions, and the second write fails.  So an error is reported only for a command that is
 * still listed in the end.
 */
static void remove_commands(struct detach *detach, const char *instance)
{
	remove_listed(detach, instance, BY_GLOB);
	remove_listed(detach, instance, BY_NAME);
	remove_listed(detach, instance, LOUDLY);
}

/* ---- the root ---- */

static void switch_off(struct detach *detach, const char *instance)
{
	write_file(detach, instance, "current_tracer", "nop\n");
	remove_commands(detach, instance);
	remove_all_triggers(detach, instance);
	write_file(detach, instance, "set_event", "\n");
}

static int switch_off_root(struct detach *detach)
{
	char *instances;

	if (asprintf(&instances, "%s/instances", detach->root) < 0)
		return -ENOMEM;
	switch_off(detach, detach->root);
	for_each_entry(detach, instances, switch_off);
	free(instances);
	write_file(detach, detach->root, "stack_tracer_enabled", "0\n");
	write_file(detach, detach->root, "function_profile_enabled", "0\n");
	write_file(detach, detach->root, "dynamic_events", "\n");
	return detach->error;
}

static int detach_root(const char *word)
{
	struct detach detach = { .root = NULL };
	int status = CLI_FAILED;

	if (conn_open(&detach.conn, CONN_START) < 0)
		return CLI_FAILED;
	if (root_path(&detach.conn, word, &detach.root) == 0 && switch_off_root(&detach) == 0) {
		terminal_line(stdout, "nothing is traced in %s any more", detach.root);
		terminal_line(stdout, "libulf stays in the program, asleep; `ulf attach` uses it "
				      "again");
		status = 0;
	}
	free(detach.root);
	conn_close(&detach.conn);
	return status;
}

static int cmd_detach(const struct cli_cmd *cmd, int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int status;

	if (cli_option(cmd, argc, argv, "h", options, &status) != -1)
		return status;
	if (optind + 1 != argc || strchr(argv[optind], '/'))
		return cli_usage(cmd);
	return detach_root(argv[optind]);
}

const struct cli_cmd cli_detach = {
	.name = "detach",
	.args = "PID|NAME|ROOT",
	.summary = "switch off everything that is traced in a program",
	.help =
"Switches off all tracers, events, triggers, histograms, commands of functions,\n"
"the stack tracer and the profiler, in all instances, and removes dynamic events.\n"
"Afterwards the program executes its own code as before.\n"
"\n"
"libulf stays in the program: its memory is mapped, and one thread sleeps.  It\n"
"cannot be unloaded, because a thread of the program may still be in its code.\n"
"`ulf attach` uses it again.\n"
"\n"
"As in the kernel, switching a tracer off clears its buffer: read the trace before.\n"
"Records of events stay readable.\n",
	.is_for_users = true,
	.run = cmd_detach,
};
