/* SPDX-License-Identifier: MIT */
/* ulf blackbox: change and restore settings of the root; see blackbox.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/blackbox.h"
#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/tree_write.h"

#define TRIGGER		"snapshot:1 if "
#define COUNTER		"hist:keys=common_cpu:size=128 if "
#define COUNTER_INFO	"# trigger info: hist:keys=common_cpu:"

/* The trigger with count 0, which never acts.  It is written first, because the server then
 * checks the limit. */
#define TRIGGER_IDLE	"snapshot:0 if "

/* ---- read and write files of the buffer, which is watched ---- */

/* Connect again after the server has ended.  Starts a server if none runs.  The new server
 * finds all settings in the root. */
static int reconnect_server(struct blackbox *box)
{
	conn_close(&box->conn);
	return conn_open(&box->conn, CONN_START);
}

static char *join_path(const char *dir, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", dir, name) < 0 ? NULL : path;
}

static int read_path(struct blackbox *box, const char *path, struct text *ret_text)
{
	int ret = conn_file_text(&box->conn, path, ret_text);

	if (ret == -EPIPE && reconnect_server(box) == 0) {
		text_done(ret_text);
		ret = conn_file_text(&box->conn, path, ret_text);
	}
	return ret;
}

int blackbox_read(struct blackbox *box, const char *name, struct text *ret_text)
{
	char *path = join_path(box->dir, name);
	int ret;

	text_init(ret_text, 0);
	if (!path)
		return -ENOMEM;
	ret = read_path(box, path, ret_text);
	free(path);
	return ret;
}

static int read_or_report(struct blackbox *box, const char *name, struct text *ret_text)
{
	int ret = blackbox_read(box, name, ret_text);
	char *path = ret < 0 ? join_path(box->dir, name) : NULL;

	if (path)
		root_path_error(path, ret);
	free(path);
	return ret;
}

/* Whether change_file() prints an error. */
enum report {
	QUIET,
	UNLESS_ENDED,			/* print errors, except -ENODEV, which says that the
					 * program has ended */
	LOUD,
};

/* Append @text and a newline to the file @name of the buffer. */
static int change_file(struct blackbox *box, const char *name, const char *text,
		       enum report report)
{
	char *path = join_path(box->dir, name), *line = NULL;
	struct tree_write write;
	int ret = -ENOMEM;

	if (path && asprintf(&line, "%s\n", text) >= 0) {
		tree_write_init(&write, path, line, O_APPEND);
		ret = tree_write(&box->conn, &write);
		if (ret == -EPIPE && reconnect_server(box) == 0) {
			ret = tree_write(&box->conn, &write);
			/* EEXIST is not an error here: the server was killed after it had set
			 * the trigger, and the repeated write finds the trigger. */
			if (ret == -EEXIST)
				ret = 0;
		}
		if (ret < 0 && (report == LOUD || (report == UNLESS_ENDED && ret != -ENODEV)))
			tree_write_error(&write, ret);
		tree_write_done(&write);
		free(line);
	}
	free(path);
	return ret;
}

/* Append @first and @second as one value to a file of the event, as change_file() does. */
static int change_event(struct blackbox *box, const char *name, const char *first,
			const char *second, enum report report)
{
	char *path = join_path(box->event_dir, name), *value = NULL;
	int ret = -ENOMEM;

	if (path && asprintf(&value, "%s%s", first, second) >= 0) {
		ret = change_file(box, path, value, report);
		free(value);
	}
	free(path);
	return ret;
}

static int read_event(struct blackbox *box, const char *name, struct text *ret_text)
{
	char *path = join_path(box->event_dir, name);
	int ret;

	text_init(ret_text, 0);
	if (!path)
		return -ENOMEM;
	ret = read_or_report(box, path, ret_text);
	free(path);
	return ret;
}

/* ---- find the root and the event ---- */

/* Return the length of the root's name, with which the path @dir begins. */
static size_t root_name_len(const char *dir)
{
	return strcspn(dir, "/");
}

static int find_dir(struct blackbox *box)
{
	size_t len;
	int ret;

	if (!box->root_word)
		return root_default(&box->conn, &box->dir);
	ret = root_path(&box->conn, box->root_word, &box->dir);
	for (len = ret < 0 ? 0 : strlen(box->dir); len && box->dir[len - 1] == '/'; len--)
		box->dir[len - 1] = '\0';
	return ret;
}

bool blackbox_is_alive(struct blackbox *box)
{
	const struct abi_root_row *row;
	struct root_list list;
	bool is_alive;

	if (root_list_fetch(&box->conn, ABI_LIST_NAMES, 0, &list) < 0)
		return true;
	row = root_list_search(&list, box->dir, root_name_len(box->dir));
	is_alive = row && row->state == ABI_ROOT_ALIVE;
	root_list_done(&list);
	return is_alive;
}

/* Return true if @line, a line SYSTEM:EVENT of available_events, is the event that @word
 * names. */
static bool is_named(const char *line, const char *word)
{
	const char *colon = strchr(line, ':');
	size_t system_len = colon ? (size_t)(colon - line) : 0;

	if (!colon)
		return false;
	if (strcmp(colon + 1, word) == 0)
		return true;
	return strncmp(line, word, system_len) == 0 &&
	       (word[system_len] == ':' || word[system_len] == '/') &&
	       strcmp(word + system_len + 1, colon + 1) == 0;
}

/* Return true if @line, a line SYSTEM:EVENT of available_events, has the system @word. */
static bool is_system(const char *line, const char *word)
{
	size_t len = strlen(word);

	return strncmp(line, word, len) == 0 && line[len] == ':';
}

/*
 * Search for the event in @events, the text of available_events, which is changed.  Sets
 * box->event if the event is found.  Returns 0, even if it is not found; -EEXIST if several
 * systems have an event with this name; -EISDIR if the name is that of a system; or -ENOMEM.
 * Prints the first two errors.
 */
static int search_event(struct blackbox *box, char *events)
{
	char *line;

	while ((line = strsep(&events, "\n"))) {
		if (is_system(line, box->event_word)) {
			cli_error("%s is a system; name one of its events: %s", box->event_word,
				  line);
			return -EISDIR;
		}
		if (!is_named(line, box->event_word))
			continue;
		if (box->event) {
			cli_error("several systems have an event %s: name %s or %s",
				  box->event_word, box->event, line);
			return -EEXIST;
		}
		box->event = strdup(line);
		if (!box->event)
			return -ENOMEM;
	}
	return 0;
}

/* Return true if @word names a single event.  Other words would be patterns or lists for
 * set_event. */
static bool is_plain_name(const char *word)
{
	const char *colon = strchr(word, ':');

	return !strpbrk(word, "*?[!/, ") && (!colon || (colon > word && colon[1]));
}

/* Read available_events, which is a file of the root, not of its instances. */
static int read_events(struct blackbox *box, struct text *ret_text)
{
	char *path;
	int ret;

	text_init(ret_text, 0);
	if (asprintf(&path, "%.*s/available_events", (int)root_name_len(box->dir), box->dir) < 0)
		return -ENOMEM;
	ret = read_path(box, path, ret_text);
	if (ret < 0)
		root_path_error(path, ret);
	free(path);
	return ret;
}

/* Print that the event does not exist.  The error of a write to set_event gives the reason
 * and the most similar name. */
static void report_no_event(struct blackbox *box)
{
	int len = (int)root_name_len(box->dir);

	if (!is_plain_name(box->event_word) ||
	    change_file(box, "set_event", box->event_word, LOUD) == 0)
		cli_error("%.*s has no event %s; `ulf cat %.*s/available_events` lists them",
			  len, box->dir, box->event_word, len, box->dir);
}

/* Make the path of the file @file of an event.  The first @len bytes of @event are
 * SYSTEM:EVENT.  The caller must free() *@ret_path. */
static int make_event_path(const char *event, size_t len, const char *file, char **ret_path)
{
	size_t system = strcspn(event, ":");

	if (system >= len)
		return -EINVAL;
	return asprintf(ret_path, "events/%.*s/%.*s%s%s", (int)system, event,
			(int)(len - system - 1), event + system + 1, *file ? "/" : "", file) < 0 ?
	       -ENOMEM : 0;
}

static int find_event(struct blackbox *box)
{
	struct text events;
	int ret = read_events(box, &events);

	if (!ret)
		ret = search_event(box, (char *)text_str(&events));
	text_done(&events);
	if (ret < 0)
		return ret;
	if (box->event)
		return make_event_path(box->event, strlen(box->event), "", &box->event_dir);
	report_no_event(box);
	return -ENOENT;
}

int blackbox_find(struct blackbox *box)
{
	int ret = find_dir(box);

	if (ret < 0)
		return ret;
	if (!blackbox_is_alive(box)) {
		cli_error("%s: the program has ended; `ulf cat %s/trace` shows what it recorded",
			  box->dir, box->dir);
		return -ENODEV;
	}
	return find_event(box);
}

/* ---- events ---- */

/* Return true if one line of @text is equal to the first @len bytes of @line. */
static bool has_line(const char *text, const char *line, size_t len)
{
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (strncmp(text, line, len) == 0 && (text[len] == '\n' || !text[len]))
			return true;
	}
	return false;
}

/* Return true if the event is soft disabled: set_event lists it only because it has triggers,
 * but its records are dropped. */
static bool is_soft_disabled(struct blackbox *box, const char *event, size_t len)
{
	struct text state;
	bool is_disabled;
	char *path;

	if (make_event_path(event, len, "enable", &path) < 0)
		return false;
	is_disabled = blackbox_read(box, path, &state) == 0 && *text_str(&state) == '0';
	text_done(&state);
	free(path);
	return is_disabled;
}

/* Get the lines of set_event, without events that are soft disabled: their records are
 * dropped. */
static int read_enabled(struct blackbox *box, struct text *ret_text)
{
	struct text all;
	const char *line;
	size_t len;
	int ret = read_or_report(box, "set_event", &all);

	text_init(ret_text, ABI_SOCKET_ANSWER_MAX);
	for (line = text_str(&all); !ret && *line; line += len, line += *line == '\n') {
		len = strcspn(line, "\n");
		if (!is_soft_disabled(box, line, len))
			text_printf(ret_text, "%.*s\n", (int)len, line);
	}
	text_done(&all);
	return ret ? ret : ret_text->error;
}

/* Append the lines of @after that are not in @before to box->enabled: the events that were
 * enabled in between. */
static void keep_new_lines(struct blackbox *box, const char *before, const char *after)
{
	size_t len;

	for (; *after; after += len, after += *after == '\n') {
		len = strcspn(after, "\n");
		if (len && !has_line(before, after, len))
			text_printf(&box->enabled, "%.*s\n", (int)len, after);
	}
}

/* Enable the events of one option -e: a list separated by commas. */
static int enable_list(struct blackbox *box, const char *list)
{
	char *copy = strdup(list), *rest = copy, *word;
	int ret = copy ? 0 : -ENOMEM;

	while (!ret && (word = strsep(&rest, ",")))
		ret = *word ? change_file(box, "set_event", word, LOUD) : 0;
	free(copy);
	return ret;
}

static int enable_more(struct blackbox *box)
{
	struct text before, after;
	int i, kept, ret = 0;

	if (!box->nr_more)
		return 0;
	ret = read_enabled(box, &before);
	for (i = 0; !ret && i < box->nr_more; i++)
		ret = enable_list(box, box->more[i]);
	/* Read set_event even after an error, because some of the events may be enabled
	 * already. */
	kept = blackbox_read(box, "set_event", &after);
	if (!kept)
		keep_new_lines(box, text_str(&before), text_str(&after));
	text_done(&before);
	text_done(&after);
	return ret ? ret : kept;
}

/* Enable the event of the incidents, so that the snapshot contains its record. */
static int enable_event(struct blackbox *box)
{
	struct text state;
	int ret = read_event(box, "enable", &state);

	if (!ret && *text_str(&state) == '0') {
		ret = change_event(box, "enable", "1", "", LOUD);
		box->is_event_enabled = !ret;
	}
	text_done(&state);
	return ret;
}

static void disable_events(struct blackbox *box)
{
	char *line, *rest = (char *)text_str(&box->enabled), *word;

	if (box->is_event_enabled)
		change_event(box, "enable", "0", "", QUIET);
	while ((line = strsep(&rest, "\n"))) {
		if (!*line || asprintf(&word, "!%s", line) < 0)
			continue;
		change_file(box, "set_event", word, QUIET);
		free(word);
	}
}

/* ---- the snapshot ---- */

enum snapshot {
	SNAPSHOT_FREED,			/* the snapshot has no rings, because it was not
					 * allocated */
	SNAPSHOT_EMPTY,
	SNAPSHOT_FULL,			/* the snapshot has records */
};

/* Read the first bytes of the file `snapshot`; the whole file may be large. */
static int read_snapshot_start(struct blackbox *box, const char *path, struct text *text)
{
	int file = conn_file_open(&box->conn, path, O_RDONLY), ret;

	if (file < 0)
		return file;
	ret = conn_file_read(&box->conn, file, 0);
	text_write(text, box->conn.data.data, ret > 0 ? (size_t)ret : 0);
	conn_file_close(&box->conn, file);
	return ret;
}

/* Return the state of the snapshot.  If the snapshot has no record, the file contains only a
 * title and a text that says so. */
static int snapshot_state(struct blackbox *box)
{
	static const char none[] = "\n#\n#\n# * Snapshot is ";
	char *path = join_path(box->dir, "snapshot");
	int ret = path ? 0 : -ENOMEM;
	struct text text;
	const char *at;

	text_init(&text, ABI_SOCKET_ANSWER_MAX);
	if (path)
		ret = read_snapshot_start(box, path, &text);
	if (ret == -EPIPE && reconnect_server(box) == 0)
		ret = read_snapshot_start(box, path, &text);
	at = strchr(text_str(&text), '\n');
	if (ret >= 0) {
		ret = SNAPSHOT_FULL;
		if (at && strncmp(at, none, strlen(none)) == 0)
			ret = at[strlen(none)] == 'f' ? SNAPSHOT_FREED : SNAPSHOT_EMPTY;
	}
	text_done(&text);
	free(path);
	return ret;
}

int blackbox_has_snapshot(struct blackbox *box)
{
	int state = snapshot_state(box);

	return state < 0 ? state : state == SNAPSHOT_FULL;
}

/* Check that the snapshot is empty, because an incident would replace records of somebody
 * else in it. */
static int check_snapshot(struct blackbox *box)
{
	int state = snapshot_state(box);

	if (state == SNAPSHOT_FULL) {
		cli_error("%s/snapshot has records, which an incident would replace: read them, "
			  "and then clear them by `ulf echo 2 %s/snapshot`", box->dir, box->dir);
		return -EBUSY;
	}
	if (state < 0) {
		cli_error("%s/snapshot: %s", box->dir, strerror(-state));
		return state;
	}
	box->has_allocated = state == SNAPSHOT_FREED;
	box->has_cleared = true;
	return 0;
}

static int check_recording(struct blackbox *box)
{
	struct text on;
	int ret = read_or_report(box, "tracing_on", &on);

	if (!ret && *text_str(&on) == '0') {
		cli_error("%s does not record: `ulf echo 1 %s/tracing_on` starts it", box->dir,
			  box->dir);
		ret = -EINVAL;
	}
	text_done(&on);
	return ret;
}

int blackbox_clock(struct blackbox *box, struct text *ret_clock)
{
	struct text clocks;
	int ret = blackbox_read(box, "trace_clock", &clocks);
	const char *begin = strchr(text_str(&clocks), '[');

	if (!ret && begin)
		text_write(ret_clock, begin + 1, strcspn(begin + 1, "]\n"));
	text_done(&clocks);
	return ret;
}

/* ---- triggers ---- */

void blackbox_disarm(struct blackbox *box)
{
	if (box->is_armed)
		change_event(box, "trigger", "!snapshot", "", QUIET);
	box->is_armed = false;
}

static int arm_trigger(struct blackbox *box, const char *trigger, enum report report)
{
	int ret = change_event(box, "trigger", trigger, box->limit, report);

	if (ret == -EEXIST)
		cli_error("%s has a trigger that takes snapshots, perhaps of another `ulf "
			  "blackbox`; `ulf echo '!snapshot' %s/%s/trigger` removes it", box->event,
			  box->dir, box->event_dir);
	box->is_armed = !ret;
	return ret;
}

/* Set the trigger `hist` that counts the incidents.  After an error this command continues,
 * because it is more important to keep incidents than to count them. */
static void start_to_count(struct blackbox *box)
{
	int ret = change_event(box, "trigger", COUNTER, box->limit, QUIET);

	box->is_counting = !ret;
	if (ret < 0)
		cli_error("%s: missed incidents cannot be counted: %s", box->event,
			  strerror(-ret));
}

int blackbox_start(struct blackbox *box)
{
	int ret = check_recording(box);

	if (!ret)
		ret = check_snapshot(box);
	if (!ret)
		ret = enable_event(box);
	if (!ret)
		ret = enable_more(box);
	if (!ret)
		ret = arm_trigger(box, TRIGGER_IDLE, LOUD);
	if (!ret) {
		start_to_count(box);
		blackbox_disarm(box);
		ret = blackbox_rearm(box);
	}
	return ret;
}

int blackbox_rearm(struct blackbox *box)
{
	int ret = change_file(box, "snapshot", "2", UNLESS_ENDED);

	return ret ? ret : arm_trigger(box, TRIGGER, UNLESS_ENDED);
}

void blackbox_restore(struct blackbox *box)
{
	blackbox_disarm(box);
	if (box->is_counting)
		change_event(box, "trigger", "!" COUNTER, box->limit, QUIET);
	disable_events(box);
	if (box->has_cleared)
		change_file(box, "snapshot", box->has_allocated ? "0" : "2", QUIET);
}

/* Return the text after @start in the first line of @text that begins with @start; or NULL. */
static const char *find_line(const char *text, const char *start)
{
	size_t len = strlen(start);

	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		if (strncmp(text, start, len) == 0)
			return text + len;
	}
	return NULL;
}

int blackbox_has_fired(struct blackbox *box)
{
	const char *count = NULL;
	struct text triggers;
	int ret = read_event(box, "trigger", &triggers);

	if (!ret)
		count = find_line(text_str(&triggers), "snapshot:count=");
	if (!ret && !count) {
		cli_error("%s: somebody has removed the trigger", box->event);
		ret = -ENOENT;
	}
	if (!ret)
		ret = *count == '0';
	text_done(&triggers);
	return ret;
}

/* Return the part of @hist, the text of the file `hist`, with the histogram for the limit
 * @limit; or NULL. */
static const char *find_counter(const char *hist, const char *limit)
{
	size_t len = strlen(limit);
	const char *end;

	for (; (hist = find_line(hist, COUNTER_INFO)); hist = end) {
		end = hist + strcspn(hist, "\n");
		for (; hist < end; hist++) {
			if (strncmp(hist, " if ", 4) == 0 &&
			    strncmp(hist + 4, limit, len) == 0 &&
			    strncmp(hist + 4 + len, " [", 2) == 0)
				return hist;
		}
	}
	return NULL;
}

/* Return the figure that follows @name in the histogram whose text begins at @part. */
static uint64_t parse_figure(const char *part, const char *name)
{
	const char *at = strstr(part, name);

	return at ? strtoull(at + strlen(name), NULL, 10) : 0;
}

int blackbox_count(struct blackbox *box, uint64_t *ret_nr)
{
	const char *part;
	struct text hist;
	int ret;

	if (!box->is_counting)
		return -ENODATA;
	ret = read_event(box, "hist", &hist);
	part = ret ? NULL : find_counter(text_str(&hist), box->limit);
	if (!ret && !part)
		ret = -ENODATA;
	if (!ret)
		*ret_nr = parse_figure(part, "\n    Hits: ") +
			  parse_figure(part, "\n    Dropped: ");
	text_done(&hist);
	return ret;
}
