/* SPDX-License-Identifier: MIT */
/*
 * ulf run: check the events that boot settings name, and report boot settings that the
 * server could not apply.  Both happen as soon as the program has a root (run_watch.c),
 * and again when the program has ended.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "abi/own_systems.h"
#include "cli/cli.h"
#include "cli/cli_suggest.h"
#include "cli/run_impl.h"
#include "cli/terminal.h"

#define EVENTS_SHOWN	20		/* maximum number of events that a message lists */

/* The events of all roots of this run, from their files available_events. */
struct events {
	struct text text;		/* the texts into which @lines points */
	char **lines;			/* array of pointers to the lines, which have the form
					 * "system:name" */
	size_t nr;
	size_t nr_own;			/* number of lines at the start of @lines that are
					 * events of the programs; the other lines are events
					 * that every program has */
};

/* Return true if @item of a boot setting matches @event, which is "system:name".  Replaces
 * the colon of @event by a NUL, and restores it. */
static bool item_fits_event(const struct boot_token *item, char *event)
{
	char *name = strchr(event, ':');
	bool is_fit;

	if (!name)
		return false;
	*name = '\0';
	is_fit = boot_fits(item, event, name + 1);
	*name = ':';
	return is_fit;
}

static bool item_fits_any_event(const struct boot_token *item, const struct events *events)
{
	size_t i;

	for (i = 0; i < events->nr; i++) {
		if (item_fits_event(item, events->lines[i]))
			return true;
	}
	return false;
}

static void show_events(const struct root_list *roots, const struct events *events)
{
	size_t i;

	if (events->nr_own == 0) {
		fprintf(stderr, "     the program has no events\n");
		return;
	}
	fprintf(stderr, "     there are:");
	for (i = 0; i < events->nr_own && i < EVENTS_SHOWN; i++)
		terminal_print(stderr, " %s", events->lines[i]);
	if (events->nr_own > EVENTS_SHOWN)
		terminal_print(stderr, " ... and %zu more: ulf cat %s/available_events",
			       events->nr_own - EVENTS_SHOWN, roots->rows[0].name);
	fputc('\n', stderr);
}

static void report_unknown_event(const struct boot_token *item, const struct events *events)
{
	bool is_off = *item->text == '!';
	const char *text = item->text + is_off, *name;
	size_t len = item->len - is_off, i;
	struct nearest near;

	nearest_init(&near, text, len);
	for (i = 0; i < events->nr; i++)
		cli_suggest_event(&near, events->lines[i], memchr(text, ':', len));
	name = nearest_name(&near);
	cli_error("no event matches `%.*s`%s%s%s", (int)item->len, item->text,
		  name ? "; did you mean `" : "", name ? name : "", name ? "`?" : "");
}

/* Return true if an item of @list, a list of events, matches no event.  Prints each such item
 * unless @is_quiet is set. */
static bool check_event_items(struct boot_token list, const struct events *events, bool is_quiet)
{
	struct boot_token item;
	bool is_bad = false;

	while (boot_item(&list, &item)) {
		if (item_fits_any_event(&item, events))
			continue;
		if (!is_quiet)
			report_unknown_event(&item, events);
		is_bad = true;
	}
	return is_bad;
}

/* Return true if an item of @list, the value of trace_trigger, names an event that no
 * root has. */
static bool check_trigger_events(struct boot_token list, const struct events *events,
				 bool is_quiet)
{
	struct boot_trigger trigger;
	struct boot_token item;
	bool is_bad = false;

	while (boot_item(&list, &item)) {
		/* Do not report ftrace:print, the event of markers: it always exists, but
		 * available_events does not list it. */
		if (boot_trigger(&item, &trigger) &&
		    !boot_token_is(&trigger.event, "print"))
			is_bad |= check_event_items(trigger.event, events, is_quiet);
	}
	return is_bad;
}

/* Return true if a boot setting names an event that no root has.  The events of tp_printk are
 * not checked, because trace_event names the same events. */
static bool check_setting_events(const struct run *run, const struct events *events, bool is_quiet)
{
	const char *words = text_str((struct text *)&run->words), *at;
	struct boot_instance instance;
	struct boot_filter filter;
	struct boot_word word;
	bool is_bad = false;

	while (boot_next(&words, &word)) {
		if (word.id == BOOT_EVENT)
			is_bad |= check_event_items(word.value, events, is_quiet);
		else if (word.id == BOOT_TRIGGER)
			is_bad |= check_trigger_events(word.value, events, is_quiet);
		else if (word.id == BOOT_EVENT_FILTER && boot_filter(&word.value, &filter))
			is_bad |= check_event_items(filter.events, events, is_quiet);
		else if (word.id == BOOT_INSTANCE &&
			 !boot_instance(&word.value, &instance, &at) &&
			 !boot_token_is(&instance.name, RUN_CONSOLE))
			is_bad |= check_event_items(instance.events, events, is_quiet);
	}
	return is_bad;
}

/* Append the lines of the files available_events of all @roots to @ret_lines. */
static int gather_events(struct run *run, const struct root_list *roots,
			 struct text *ret_lines)
{
	struct text text;
	char *path;
	size_t i;
	int ret = 0;

	for (i = 0; i < roots->nr && ret >= 0; i++) {
		if (asprintf(&path, "%s/available_events", roots->rows[i].name) < 0)
			return -ENOMEM;
		ret = conn_file_text(&run->conn, path, &text);
		if (ret == -ENOENT || ret == -ENODEV)
			ret = 0;	/* not an error: the root was just removed */
		else if (ret < 0)
			root_path_error(path, ret);
		text_write(ret_lines, text.data, text.len);
		text_done(&text);
		free(path);
	}
	return ret < 0 ? ret : ret_lines->error;
}

/* Split the text @lines of available_events into an array of lines.  The caller must free()
 * the array. */
static char **split_lines(struct text *lines, size_t *ret_nr)
{
	char **array, *line, *save = NULL;
	size_t nr = 0, room = 1, i;

	for (i = 0; i < lines->len; i++)
		room += lines->data[i] == '\n';
	array = calloc(room, sizeof(*array));
	if (!array)
		return NULL;
	text_putc(lines, '\0');
	if (lines->error) {
		free(array);
		return NULL;
	}
	for (line = strtok_r(lines->data, "\n", &save); line && nr < room;
	     line = strtok_r(NULL, "\n", &save))
		array[nr++] = line;
	*ret_nr = nr;
	return array;
}

static bool is_own(const char *line)
{
	return !abi_is_own_system(line, strcspn(line, ":"));
}

/* Move the lines of the programs' own events to the front, in their order. */
static void put_own_first(struct events *events)
{
	for (size_t i = 0; i < events->nr; i++) {
		char *line = events->lines[i];

		if (!is_own(line))
			continue;
		memmove(&events->lines[events->nr_own + 1], &events->lines[events->nr_own],
			(i - events->nr_own) * sizeof(*events->lines));
		events->lines[events->nr_own++] = line;
	}
}

static int events_get(struct run *run, const struct root_list *roots,
		      struct events *ret_events)
{
	int ret;

	*ret_events = (struct events){ .nr = 0 };
	text_init(&ret_events->text, ABI_SOCKET_ANSWER_MAX);
	ret = gather_events(run, roots, &ret_events->text);
	if (!ret) {
		ret_events->lines = split_lines(&ret_events->text, &ret_events->nr);
		ret = ret_events->lines ? 0 : -ENOMEM;
		put_own_first(ret_events);
	}
	return ret;
}

static void events_done(struct events *events)
{
	free(events->lines);
	text_done(&events->text);
}

enum run_events run_events_check(struct run *run, const struct root_list *roots)
{
	enum run_events state = RUN_EVENTS_KNOWN;
	struct events events;

	if (!events_get(run, roots, &events) && check_setting_events(run, &events, true))
		state = events.nr_own ? RUN_EVENTS_MISSING : RUN_EVENTS_NONE;
	events_done(&events);
	return state;
}

void run_events_report(struct run *run, const struct root_list *roots)
{
	struct events events;

	if (run->has_reported_events || !roots->nr || !run->words.len)
		return;
	if (!events_get(run, roots, &events) && check_setting_events(run, &events, false)) {
		show_events(roots, &events);
		run->has_reported_events = true;
	}
	events_done(&events);
}

/* ---- report settings that the server could not apply ---- */

/* The errors of one root that `ulf run` has already printed. */
struct run_shown {
	char *root;			/* name of the root */
	struct text text;		/* the lines of the root's error_log that were printed
					 * already */
};

/* Find the entry of @root in run->shown, or add an entry.  Returns NULL if there is no
 * memory. */
static struct run_shown *find_shown(struct run *run, const char *root)
{
	struct run_shown *all;
	size_t i;

	for (i = 0; i < run->nr_shown; i++) {
		if (!strcmp(run->shown[i].root, root))
			return &run->shown[i];
	}
	all = realloc(run->shown, (i + 1) * sizeof(*all));
	if (!all)
		return NULL;
	run->shown = all;
	all[i].root = strdup(root);
	if (!all[i].root)
		return NULL;
	text_init(&all[i].text, ABI_SOCKET_ANSWER_MAX);
	run->nr_shown++;
	return &all[i];
}

void run_errors_done(struct run *run)
{
	size_t i;

	for (i = 0; i < run->nr_shown; i++) {
		free(run->shown[i].root);
		text_done(&run->shown[i].text);
	}
	free(run->shown);
}

/*
 * Return how many bytes of @log were printed in earlier calls.  @shown: the text that was
 * printed.  error_log drops its oldest errors when it is full, so @log may begin with the end
 * of @shown.  Example: "A B C" was printed before, and the log is now "B C D".  Then only D
 * is new.
 */
static size_t count_shown(const struct text *shown, const struct text *log)
{
	size_t len = shown->len < log->len ? shown->len : log->len;

	while (len && memcmp(shown->data + shown->len - len, log->data, len))
		len--;
	return len;
}

static void print_new_errors(struct run *run, const char *root)
{
	struct run_shown *shown = find_shown(run, root);
	struct terminal terminal;
	struct text text;
	char *path;
	size_t old;

	if (!shown || asprintf(&path, "%s/error_log", root) < 0)
		return;
	if (conn_file_text(&run->conn, path, &text) == 0) {
		old = count_shown(&shown->text, &text);
		if (strstr(text_str(&text) + old, "] boot: error: ")) {
			cli_error("%s:", path);
			terminal_start(&terminal, stderr);
			terminal_write(&terminal, text.data + old, text.len - old);
			terminal_end(&terminal);
			text_write(&shown->text, text.data + old, text.len - old);
		}
	}
	text_done(&text);
	free(path);
}

void run_errors_report(struct run *run, const struct root_list *roots)
{
	size_t i;

	for (i = 0; i < roots->nr; i++)
		print_new_errors(run, roots->rows[i].name);
}
