/* SPDX-License-Identifier: MIT */
/* The directory events/ and the file available_events. */
#include <errno.h>
#include <string.h>

#include "event/format.h"
#include "server/core/apply.h"
#include "server/rings/rings.h"
#include "server/rules/events.h"
#include "server/rules/rules.h"
#include "server/rules/soft.h"
#include "tracefs/files.h"

/* ---- methods of the directories events/ and events/SYSTEM/ ---- */

/*
 * Return the name of the system of the directory events/SYSTEM.  Returns "" if the
 * root no longer has this system.  This can happen when a root wakes up: its systems
 * are loaded again from its memory, which the program may have changed since the node
 * was made.
 */
static const char *system_of(const struct tracefs_node *node)
{
	return node->number < root_events(node->root)->nr_systems ?
	       root_events(node->root)->systems[node->number] : "";
}

/* Find the directory of the system @name.  If no event of the system is visible now,
 * returns -ENOENT, too. */
int events_lookup(struct tracefs_node *dir, const char *name,
		  struct tracefs_node **ret_node)
{
	struct root *root = dir->root;
	int number = events_system(root, name);

	if (number < 0 || !events_has_system(root, name))
		return -ENOENT;
	return tracefs_node_new(dir, dir->dir->child[0], root, (uint32_t)number, ret_node);
}

/* List the directories of systems.  The array events.visible is sorted, so all events of
 * a system stand together in it. */
int events_list(struct tracefs_node *dir, tracefs_emit emit, void *arg)
{
	struct root *root = dir->root;
	struct events *events = root_events(root);
	bool is_first = true;
	uint32_t last = 0;
	int r = 0;

	for (uint32_t i = 0; !r && i < events->nr_visible; i++) {
		uint32_t number = events->visible[i]->system_number;

		if (!event_is_listed(root, events->visible[i]))
			continue;
		if (is_first || last != number)
			r = tracefs_emit_dir(dir, dir->dir->child[0], root, number,
					     events->systems[number], emit, arg);
		is_first = false;
		last = number;
	}
	return r;
}

int system_lookup(struct tracefs_node *dir, const char *name,
		  struct tracefs_node **ret_node)
{
	struct event *event = events_find(dir->root, system_of(dir), name);

	if (!event)
		return -ENOENT;
	return tracefs_node_new(dir, dir->dir->child[0], dir->root, event->number, ret_node);
}

int system_list(struct tracefs_node *dir, tracefs_emit emit, void *arg)
{
	struct root *root = dir->root;
	struct events *events = root_events(root);
	int r = 0;

	for (uint32_t i = 0; !r && i < events->nr_visible; i++) {
		const struct event *event = events->visible[i];

		if (event->system_number == dir->number)
			r = tracefs_emit_dir(dir, dir->dir->child[0], root, event->number,
					     event->format->name, emit, arg);
	}
	return r;
}

/* ---- methods of the files in events/, and of available_events ---- */

struct event *tracefs_event(const struct tracefs_node *node)
{
	struct event *event;

	if (events_refresh(node->root))
		return NULL;
	event = events_by_number(node->root, node->number);
	return event && event->is_visible ? event : NULL;
}

void tracefs_print_event(const struct event *event, struct text *out)
{
	size_t start = out->len;

	text_printf(out, "%s:%s", event->format->system, event->format->name);
	text_one_line(out, start);
	text_putc(out, '\n');
}

int available_events_show(struct tracefs_node *node, struct text *out)
{
	struct root *root = node->root;
	struct events *events = root_events(root);
	int r = events_refresh(root);

	for (uint32_t row = 0; !r && row < events->nr; row++) {
		const struct event *event = events->rows[row];

		if (event && event_is_listed(root, event))
			tracefs_print_event(event, out);
	}
	return r;
}

int event_format_show(struct tracefs_node *node, struct text *out)
{
	const struct event *event = tracefs_event(node);

	if (!event)
		return -ENODEV;
	event_format_text(event->format, out);
	return 0;
}

int event_id_show(struct tracefs_node *node, struct text *out)
{
	const struct event *event = tracefs_event(node);

	if (!event)
		return -ENODEV;
	text_printf(out, "%u\n", event->format->id);
	return 0;
}

int event_enable_show(struct tracefs_node *node, struct text *out)
{
	struct instance *instance = tracefs_instance(node);
	const struct event *event = tracefs_event(node);

	if (!event)
		return -ENODEV;
	rules_refresh(instance);
	text_printf(out, "%d%s\n", event_is_recorded(instance, event),
		    soft_find(instance, event) ? "*" : "");
	return 0;
}

/* Handle a write to an `enable` file: turn all events that @match selects on or off.
 * Returns the number of bytes that were accepted, or -errno. */
static ssize_t enable_store(struct tracefs_file *file, const char *buf, size_t size,
			    const struct event_match *match)
{
	uint64_t value;
	int r = tracefs_parse_number(buf, size, &value);

	if (r)
		return r;
	if (value > 1)
		return -EINVAL;
	if (value)
		r = apply_check(tracefs_instance(file->node), file->def->name);
	if (!r)
		r = events_set(tracefs_instance(file->node), match, value);
	if (r)
		return r;
	tracefs_file_apply(file);
	return (ssize_t)size;
}

ssize_t event_enable_store(struct tracefs_file *file, const char *buf, size_t size,
			   pid_t tid)
{
	const struct event *event = tracefs_event(file->node);
	struct event_match match;

	(void)tid;
	if (!event)
		return -ENODEV;
	match = (struct event_match){
		.system = event->format->system,
		.name = event->format->name,
	};
	return enable_store(file, buf, size, &match);
}

/* Show whether the events of @system are on: 0, 1, X (some are on) or ? (there are no
 * events).  If @system is NULL, all events count. */
static int enable_show(struct tracefs_node *node, const char *system,
		       struct text *out)
{
	struct root *root = node->root;
	struct events *events = root_events(root);
	unsigned int seen = 0;
	int r = events_refresh(root);

	for (uint32_t i = 0; !r && i < events->nr_visible; i++) {
		const struct event *event = events->visible[i];

		if (system ? !strcmp(system, event->format->system) : !event->is_own)
			seen |= 1u << event_is_enabled(tracefs_instance(node), event);
	}
	text_printf(out, "%c\n", "?01X"[seen]);
	return r;
}

int system_enable_show(struct tracefs_node *node, struct text *out)
{
	return enable_show(node, system_of(node), out);
}

ssize_t system_enable_store(struct tracefs_file *file, const char *buf, size_t size,
			    pid_t tid)
{
	struct event_match match = { .system = system_of(file->node) };

	(void)tid;
	return enable_store(file, buf, size, &match);
}

int events_enable_show(struct tracefs_node *node, struct text *out)
{
	return enable_show(node, NULL, out);
}

ssize_t events_enable_store(struct tracefs_file *file, const char *buf, size_t size,
			    pid_t tid)
{
	struct event_match match = { .system = NULL };

	(void)tid;
	return enable_store(file, buf, size, &match);
}

int header_page_show(struct tracefs_node *node, struct text *out)
{
	event_header_page_text(instance_page_bytes(tracefs_instance(node)), out);
	return 0;
}

int header_event_show(struct tracefs_node *node, struct text *out)
{
	(void)node;
	event_header_event_text(out);
	return 0;
}
