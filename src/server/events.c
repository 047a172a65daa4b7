/* SPDX-License-Identifier: MIT */
/*
 * The events of a root: read from the program's blobs, found by name and by
 * id, switched on and off.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "event/format.h"
#include "event/print.h"
#include "server/blob.h"
#include "server/mapping.h"
#include "server/rings.h"
#include "server/root.h"
#include "server/rules.h"
#include "server/shm.h"
#include "server/soft.h"

/* Which modules there are: of the living, or of all if nobody lives. */
static void modules_union(const struct root *root,
			  uint64_t modules[ABI_MODULES / 64])
{
	memset(modules, 0, ABI_MODULES / 8);
	for (uint32_t slot = 0; slot < ABI_PROCESSES; slot++) {
		const struct process *process = root->process[slot];

		if (!process || !process->pid ||
		    (root->nr_live && process->pidfd < 0))
			continue;
		for (uint32_t i = 0; i < ABI_MODULES / 64; i++)
			modules[i] |= shm_load(&root->processes[slot].modules[i]);
	}
}

/* The number of a system's name, a new one if need be; < 0: -ENOMEM. */
static int64_t system_number(struct root *root, const char *name)
{
	char **systems;
	char *copy;

	for (uint32_t i = 0; i < root->nr_systems; i++)
		if (!strcmp(root->systems[i], name))
			return i;
	systems = realloc(root->systems,
			  (root->nr_systems + 1) * sizeof(*systems));
	if (!systems)
		return -ENOMEM;
	root->systems = systems;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	systems[root->nr_systems] = copy;
	return root->nr_systems++;
}

static void event_free(struct event *event)
{
	if (!event)
		return;
	print_program_free(event->program);
	event_format_free(event->format);
	free(event);
}

/* An unreadable row is no error: the rest of the root is still good. */
static struct event *event_new(struct root *root, uint32_t row)
{
	struct abi_event *shared = &root->events_table[row];
	struct event *event = calloc(1, sizeof(*event));
	uint64_t off = shm_load(&shared->blob);
	uint64_t bytes = shm_load(&shared->blob_bytes);
	int64_t system;

	if (!event)
		return NULL;
	event->row = row;
	if (off < root->heap_off ||
	    off > root->arena_off || bytes > root->arena_off - off)
		goto bad;
	event->format = blob_to_format((char *)root->memory->addr + off, bytes,
				       ABI_EVENT_ID_FIRST + row);
	if (!event->format)
		goto bad;
	system = system_number(root, event->format->system);
	if (system < 0)
		goto bad;
	event->system_number = (uint32_t)system;
	return event;
bad:
	event_free(event);
	return NULL;
}

static int read_rows(struct root *root)
{
	uint32_t nr = shm_load(&root->control->nr_events);
	struct event **events;

	if (nr > ABI_EVENTS)
		nr = ABI_EVENTS;
	if (nr <= root->nr_events)
		return 0;
	events = realloc(root->events, nr * sizeof(*events));
	if (!events)
		return -ENOMEM;
	root->events = events;
	for (uint32_t row = root->nr_events; row < nr; row++)
		events[row] = event_new(root, row);
	root->nr_events = nr;
	return 0;
}

static int compare_names(const struct event *a, const char *system,
			 const char *name)
{
	int r = strcmp(a->format->system, system);

	return r ? r : strcmp(a->format->name, name);
}

/* By system and name; of one name the newest first. */
static int compare_events(const void *pa, const void *pb)
{
	const struct event *a = *(struct event *const *)pa;
	const struct event *b = *(struct event *const *)pb;
	int r = compare_names(a, b->format->system, b->format->name);

	return r ? r : (a->row < b->row) - (a->row > b->row);
}

static int sort_visible(struct root *root)
{
	struct event **sorted = calloc(root->nr_events + 1, sizeof(*sorted));
	uint32_t nr = 0, kept = 0;

	if (!sorted)
		return -ENOMEM;
	for (uint32_t row = 0; row < root->nr_events; row++) {
		struct event *event = root->events[row];

		if (!event)
			continue;
		/* A module that comes back may have another row. */
		event->module = shm_load(&root->events_table[row].module) %
				ABI_MODULES;
		event->is_present = root->modules_seen[event->module / 64] >>
				    event->module % 64 & 1;
		event->is_visible = false;
		if (event->is_present)
			sorted[nr++] = event;
	}
	qsort(sorted, nr, sizeof(*sorted), compare_events);
	for (uint32_t i = 0; i < nr; i++) {
		if (kept && !compare_names(sorted[kept - 1],
					   sorted[i]->format->system,
					   sorted[i]->format->name))
			continue;
		sorted[i]->is_visible = true;
		sorted[kept++] = sorted[i];
	}
	free(root->visible);
	root->visible = sorted;
	root->nr_visible = kept;
	return 0;
}

int events_refresh(struct root *root)
{
	uint64_t modules[ABI_MODULES / 64];
	uint32_t tables = shm_load(&root->control->tables_changed);
	int r;

	if (tables != root->tables_seen)
		process_scan(root);
	modules_union(root, modules);
	if (root->visible && tables == root->tables_seen &&
	    !memcmp(modules, root->modules_seen, sizeof(modules)))
		return 0;
	r = read_rows(root);
	if (r < 0)
		return r;
	memcpy(root->modules_seen, modules, sizeof(modules));
	r = sort_visible(root);
	if (!r)
		root->tables_seen = tables;
	return r;
}

void events_done(struct root *root)
{
	for (uint32_t row = 0; row < root->nr_events; row++)
		event_free(root->events[row]);
	for (uint32_t i = 0; i < root->nr_systems; i++)
		free(root->systems[i]);
	free(root->events);
	free(root->visible);
	free(root->systems);
	root->events = root->visible = NULL;
	root->systems = NULL;
	root->nr_events = root->nr_visible = root->nr_systems = 0;
}

struct event *events_find(struct root *root, const char *system,
			  const char *name)
{
	uint32_t low = 0, high = root->nr_visible;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		struct event *event = root->visible[middle];
		int r = compare_names(event, system, name);

		if (!r)
			return event;
		if (r < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

struct event *events_by_id(struct root *root, uint32_t id)
{
	uint32_t row = id - ABI_EVENT_ID_FIRST;

	if (id < ABI_EVENT_ID_FIRST)
		return NULL;
	if (row >= root->nr_events && root_is_usable(root))
		events_refresh(root);
	return row < root->nr_events ? root->events[row] : NULL;
}

bool events_has_system(const struct root *root, const char *system)
{
	for (uint32_t i = 0; i < root->nr_visible; i++)
		if (!strcmp(root->visible[i]->format->system, system))
			return true;
	return false;
}

const struct print_program *event_program(struct event *event)
{
	if (!event->is_compiled) {
		event->is_compiled = true;
		if (print_compile(event->format, &event->program) < 0)
			event->program = NULL;
	}
	return event->program;
}

bool event_is_enabled(const struct instance *instance,
		      const struct event *event)
{
	const struct abi_event *shared =
		&instance->root->events_table[event->row];

	return (shm_load(&shared->wanted) >> instance->number & 1) &&
	       !shm_load(&shared->failed);
}

static bool is_match(const struct event *event, const struct event_match *match)
{
	const char *system = event->format->system;
	const char *name = event->format->name;

	if (match->either && strcmp(match->either, name) &&
	    strcmp(match->either, system))
		return false;
	return (!match->system || !strcmp(match->system, system)) &&
	       (!match->name || !strcmp(match->name, name));
}

bool event_is_named_as(const struct event *event, const struct event *other)
{
	return event->system_number == other->system_number &&
	       !strcmp(event->format->name, other->format->name);
}

void event_want(struct instance *instance, uint32_t row, bool is_on)
{
	struct abi_event *shared = &instance->root->events_table[row];
	uint32_t bit = 1u << instance->number;
	uint32_t wanted = shm_load(&shared->wanted);

	shm_store(&shared->failed, 0);
	shm_store(&shared->wanted, is_on ? wanted | bit : wanted & ~bit);
}

/* The probe of one in soft mode stays registered. */
static void event_set(struct instance *instance, const struct event *event,
		      bool is_on)
{
	const struct soft_event *soft = soft_find(instance, event);

	if (soft)
		soft_set(instance, soft, is_on);
	if (is_on || !soft)
		event_want(instance, event->row, is_on);
}

/* All rows of a name are switched, also those of modules that come back later. */
int events_set(struct instance *instance, const struct event_match *match,
	       bool is_on)
{
	struct root *root = instance->root;
	bool is_any = false;
	int r;

	r = events_refresh(root);
	if (r < 0)
		return r;
	rules_refresh(instance);
	for (uint32_t i = 0; !is_any && i < root->nr_visible; i++)
		is_any = is_match(root->visible[i], match);
	if (!is_any)
		return -EINVAL;
	if (is_on) {
		if (root->state == SERVER_ROOT_DEAD)
			return -ENODEV;
		r = instance_need_rings(instance);
		if (r < 0)
			return r;
	}
	for (uint32_t row = 0; row < root->nr_events; row++)
		if (root->events[row] && is_match(root->events[row], match))
			event_set(instance, root->events[row], is_on);
	return 0;
}
