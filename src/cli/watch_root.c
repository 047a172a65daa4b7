/* SPDX-License-Identifier: MIT */
/* ulf watch: make, read and remove the instance in the root; see watch.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/posix_clock.h"
#include "cli/cli.h"
#include "cli/cli_roots.h"
#include "cli/left_instances.h"
#include "cli/tree_write.h"
#include "cli/watch.h"

#define PREFIX		"watch."
#define RING_KB		1024		/* total size of the rings of all CPUs, KiB */
#define RING_KB_MIN	16		/* minimum size of the ring of one CPU, KiB */
#define TAIL_BYTES	(64u << 20)
#define TRIGGER		"hist:keys=common_cpu:size=256"

/* ---- files ---- */

static bool reconnect(struct watch_root *watch, int error)
{
	if (error != -EPIPE)
		return false;
	conn_close(watch->conn);
	return conn_open(watch->conn, CONN_START) == 0;
}

/* Read the file @name in the directory @dir.  The caller must call text_done() in any case. */
static int read_file(struct watch_root *watch, const char *dir, const char *name,
		     struct text *ret_text)
{
	char *path;
	int r;

	text_init(ret_text, 0);
	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	r = conn_file_text(watch->conn, path, ret_text);
	if (r < 0 && reconnect(watch, r)) {
		text_done(ret_text);
		r = conn_file_text(watch->conn, path, ret_text);
	}
	free(path);
	return r;
}

/* Append to @why why a write has failed: the first line of the reason that the server gave,
 * from the last "error: " on; without a reason, the text for @error. */
static void put_reason(struct tree_write *write, int error, struct text *why)
{
	const char *reason = text_str(&write->reason), *at;

	while ((at = memmem(reason, strcspn(reason, "\n"), "error: ", 7)))
		reason = at + 7;
	if (*reason)
		text_write(why, reason, strcspn(reason, "\n"));
	else
		text_puts(why, strerror(-error));
}

static int write_file(struct watch_root *watch, const char *name, const char *value,
		      struct text *why)
{
	struct tree_write write;
	char *path, *line = NULL;
	int r = -ENOMEM;

	if (asprintf(&path, "%s/%s", watch->instance, name) < 0)
		return -ENOMEM;
	if (asprintf(&line, "%s\n", value) < 0)
		goto free_path;
	tree_write_init(&write, path, line, O_TRUNC);
	r = tree_write(watch->conn, &write);
	if (r < 0 && reconnect(watch, r))
		r = tree_write(watch->conn, &write);
	if (r < 0)
		put_reason(&write, r, why);
	tree_write_done(&write);
	free(line);
free_path:
	free(path);
	return r < 0 ? r : 0;
}

/* Write to the file @name of an event's directory. */
static int write_event(struct watch_root *watch, const struct watch_event *event,
		       const char *name, const char *value, struct text *why)
{
	int len = (int)strcspn(event->name, ":"), r;
	char *path;

	if (asprintf(&path, "events/%.*s/%s/%s", len, event->name, event->name + len + 1, name) < 0)
		return -ENOMEM;
	r = write_file(watch, path, value, why);
	free(path);
	return r;
}

static int read_event(struct watch_root *watch, const char *dir, const struct watch_event *event,
		      const char *name, struct text *ret_text)
{
	int len = (int)strcspn(event->name, ":"), r;
	char *path;

	text_init(ret_text, 0);
	if (asprintf(&path, "events/%.*s/%s/%s", len, event->name, event->name + len + 1, name) < 0)
		return -ENOMEM;
	r = read_file(watch, dir, path, ret_text);
	free(path);
	return r;
}

/* ---- one event ---- */

int watch_root_switch(struct watch_root *watch, struct watch_event *event, bool is_on,
		      struct text *why)
{
	struct text trigger;
	int r;

	if (event->is_on == is_on)
		return 0;
	text_init(&trigger, TAIL_BYTES);
	text_printf(&trigger, "%s" TRIGGER, is_on ? "" : "!");
	if (event->filter)
		text_printf(&trigger, " if %s", event->filter);
	r = write_event(watch, event, "enable", is_on ? "1" : "0", why);
	if (!r)
		r = write_event(watch, event, "trigger", text_str(&trigger), why);
	text_done(&trigger);
	if (r)
		return r;
	event->is_on = is_on;
	event->hits = 0;
	event->rate = 0;
	return 0;
}

int watch_root_filter(struct watch_root *watch, struct watch_event *event, const char *filter,
		      struct text *why)
{
	bool was_on = event->is_on;
	char *copy = *filter ? strdup(filter) : NULL;
	int r;

	if (*filter && !copy)
		return -ENOMEM;
	r = write_event(watch, event, "filter", *filter ? filter : "0", why);
	/* Set the trigger again, because it has the filter, too. */
	if (!r)
		r = watch_root_switch(watch, event, false, why);
	if (r) {
		free(copy);
		return r;
	}
	free(event->filter);
	event->filter = copy;
	return watch_root_switch(watch, event, was_on, why);
}

/* Append the name of a field from its line in `format`: "field:char name[8];..." */
static void put_field(const char *line, size_t len, struct text *out)
{
	const char *end = memchr(line, ';', len), *start, *bracket;

	end = end ? end : line + len;
	bracket = memchr(line, '[', (size_t)(end - line));
	/* In a type such as __data_loc char[] the brackets stand before the field's name. */
	if (bracket && !memchr(bracket, ' ', (size_t)(end - bracket)))
		end = bracket;
	for (start = end; start > line && start[-1] != ' '; )
		start--;
	text_puts(out, out->len ? " " : "");
	text_write(out, start, (size_t)(end - start));
}

void watch_root_fields(struct watch_root *watch, const struct watch_event *event,
		       struct text *out)
{
	struct text format;

	if (!read_event(watch, watch->root, event, "format", &format)) {
		for (const char *at = text_str(&format); *at; ) {
			size_t len = strcspn(at, "\n");

			if (len > 7 && !strncmp(at, "\tfield:", 7) &&
			    !memmem(at, len, "common_", 7))
				put_field(at + 7, len - 7, out);
			at += len + (at[len] == '\n');
		}
	}
	text_done(&format);
}

/* ---- all events ---- */

static int compare_events(const void *a, const void *b)
{
	const struct watch_event *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static struct watch_event *find_event(const struct watch_root *watch, const char *name)
{
	struct watch_event key = { .name = (char *)name };

	return watch->nr ? bsearch(&key, watch->events, watch->nr, sizeof(key), compare_events) :
			   NULL;
}

static void free_events(struct watch_event *events, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		free(events[i].name);
		free(events[i].filter);
	}
	free(events);
}

/* Make the list of events from the lines of `available_events`.  Data about events that were
 * known before is moved to the new list. */
static int use_names(struct watch_root *watch, const char *text)
{
	struct watch_event *events;
	uint32_t nr = 0, room = 1;

	for (const char *at = text; *at; at++)
		room += *at == '\n';
	events = calloc(room, sizeof(*events));
	if (!events)
		return -ENOMEM;
	for (const char *at = text; *at; ) {
		size_t len = strcspn(at, "\n");

		events[nr].name = memchr(at, ':', len) ? strndup(at, len) : NULL;
		nr += events[nr].name != NULL;
		at += len + (at[len] == '\n');
	}
	qsort(events, nr, sizeof(*events), compare_events);
	for (uint32_t i = 0; i < nr; i++) {
		struct watch_event *old = find_event(watch, events[i].name);
		char *name = events[i].name;

		if (!old)
			continue;
		events[i] = *old;
		events[i].name = name;
		old->filter = NULL;
	}
	free_events(watch->events, watch->nr);
	watch->events = events;
	watch->nr = nr;
	return 0;
}

static int read_names(struct watch_root *watch)
{
	struct text text;
	int r = read_file(watch, watch->root, "available_events", &text);

	if (r || !strcmp(text_str(&text), text_str(&watch->names))) {
		text_done(&text);
		return r;
	}
	text_done(&watch->names);
	watch->names = text;
	return use_names(watch, text_str(&watch->names));
}

/* Switch on the events that are on in the root, with their filters. */
static int copy_settings(struct watch_root *watch, struct text *why)
{
	struct text on, filter;
	char *save = NULL;
	int r = read_file(watch, watch->root, "set_event", &on);

	for (char *name = r ? NULL : strtok_r((char *)text_str(&on), "\n", &save); !r && name;
	     name = strtok_r(NULL, "\n", &save)) {
		struct watch_event *event = find_event(watch, name);

		if (!event)
			continue;
		if (!read_event(watch, watch->root, event, "filter", &filter) &&
		    strncmp(text_str(&filter), "none", 4)) {
			text_truncate(&filter, strcspn(text_str(&filter), "\n"));
			r = watch_root_filter(watch, event, text_str(&filter), why);
		}
		text_done(&filter);
		if (!r)
			r = watch_root_switch(watch, event, true, why);
	}
	text_done(&on);
	return r;
}

/* Read the hits of an event, from the line "    Hits: N" of `hist`. */
static void read_hits(struct watch_root *watch, struct watch_event *event, double seconds)
{
	struct text text;
	const char *line;
	uint64_t hits;

	if (!read_event(watch, watch->instance, event, "hist", &text)) {
		line = strstr(text_str(&text), "\n    Hits: ");
		hits = line ? strtoull(line + 11, NULL, 10) : 0;
		event->rate = hits >= event->hits && seconds > 0 ?
			      (double)(hits - event->hits) / seconds : 0;
		event->hits = hits;
	}
	text_done(&text);
}

static int read_state(struct watch_root *watch)
{
	const struct abi_root_row *row;
	struct root_list list;
	int r = root_list_fetch(watch->conn, ABI_LIST_NAMES, 0, &list);

	if (r < 0 && reconnect(watch, r))
		r = root_list_fetch(watch->conn, ABI_LIST_NAMES, 0, &list);
	if (r < 0)
		return r;
	row = root_list_search(&list, watch->root, strlen(watch->root));
	watch->is_alive = row && row->state == ABI_ROOT_ALIVE;
	root_list_done(&list);
	return row ? 0 : -ENOENT;
}

int watch_root_read(struct watch_root *watch)
{
	uint64_t now;
	int r = read_state(watch);

	if (!r)
		r = read_names(watch);
	if (r)
		return r;
	now = clock_monotonic_ns();
	for (uint32_t i = 0; i < watch->nr; i++)
		if (watch->events[i].is_on)
			read_hits(watch, &watch->events[i], (double)(now - watch->read_ns) / 1e9);
	watch->read_ns = now;
	text_done(&watch->tail);
	return read_file(watch, watch->instance, "trace", &watch->tail);
}

/* ---- begin and end ---- */

static int make_instance(struct watch_root *watch)
{
	int r;

	left_instances_remove(watch->conn, watch->root, PREFIX);
	if (asprintf(&watch->instance, "%s/instances/" PREFIX "%d", watch->root, getpid()) < 0) {
		watch->instance = NULL;
		return -ENOMEM;
	}
	r = conn_path(watch->conn, ABI_SOCKET_MKDIR, watch->instance);
	if (r >= 0)
		return 0;
	cli_error("cannot make the instance %s: %s", watch->instance, strerror(-r));
	free(watch->instance);
	watch->instance = NULL;
	return r;
}

static int set_up(struct watch_root *watch, struct text *why)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	long kb = RING_KB / (cpus > 0 ? cpus : 1);
	char value[32];
	int r;

	snprintf(value, sizeof(value), "%ld", kb > RING_KB_MIN ? kb : RING_KB_MIN);
	r = write_file(watch, "buffer_size_kb", value, why);
	if (!r)
		r = read_names(watch);
	watch->read_ns = clock_monotonic_ns();
	return r ? r : copy_settings(watch, why);
}

int watch_root_start(struct watch_root *watch, struct conn *conn, const char *word)
{
	struct text why;
	int r;

	watch->conn = conn;
	r = word ? root_path(conn, word, &watch->root) : root_default(conn, &watch->root);
	if (r < 0) {
		watch->root = NULL;
		return r;
	}
	if (strchr(watch->root, '/')) {
		cli_error("%s: is no root; `ulf ls` lists them", watch->root);
		return -EINVAL;
	}
	r = make_instance(watch);
	if (r)
		return r;
	text_init(&why, TAIL_BYTES);
	r = set_up(watch, &why);
	if (r)
		cli_error("%s: %s", watch->instance, why.len ? text_str(&why) : strerror(-r));
	text_done(&why);
	return r;
}

void watch_root_stop(struct watch_root *watch)
{
	int r = watch->instance ? conn_path(watch->conn, ABI_SOCKET_RMDIR, watch->instance) : 0;

	if (r < 0 && r != -ENOENT)
		cli_error("cannot remove the instance %s: %s", watch->instance, strerror(-r));
	free_events(watch->events, watch->nr);
	free(watch->instance);
	free(watch->root);
	text_done(&watch->names);
	text_done(&watch->tail);
}
