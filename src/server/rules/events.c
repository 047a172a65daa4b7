/* SPDX-License-Identifier: MIT */
/*
 * The events of a root: read their formats from shared memory, find them by name and by id,
 * enable and disable them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/bits.h"
#include "event/format.h"
#include "event/print.h"
#include "server/core/error_log.h"
#include "server/core/instance.h"
#include "server/core/mapping.h"
#include "server/core/now.h"
#include "server/core/part.h"
#include "server/core/process.h"
#include "server/core/root.h"
#include "server/core/server.h"
#include "server/core/shm.h"
#include "server/rings/rings.h"
#include "server/rules/event_blob.h"
#include "server/rules/events.h"
#include "server/rules/rules.h"
#include "server/rules/soft.h"

/* Get a bitmap of the modules that live processes have loaded.  If no process is alive,
 * get all modules that processes of the root have ever loaded. */
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

/* ---- functions that find systems of events by number and by name ---- */

/* Hash the name of a system.  The program chooses the names, so the hash depends on a
 * secret: otherwise a hostile program could choose names that collide. */
static uint32_t hash_name(const char *name)
{
	static uint64_t secret;
	uint64_t hash;

	if (!secret && getrandom(&secret, sizeof(secret), GRND_NONBLOCK) < 0)
		secret = server_now_ns();
	hash = secret;
	for (; *name; name++) {
		hash = (hash ^ (unsigned char)*name) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 32;
	}
	return (uint32_t)hash;
}

/* Return the element of events.system_index for the system @name.  If the system is not
 * in the index, return the free element in which its number must be stored.  The index
 * always has a free element. */
static uint32_t *index_place(const struct root *root, const char *name)
{
	struct events *events = root_events(root);
	uint32_t mask = events->system_index_size - 1, at = hash_name(name) & mask;

	while (events->system_index[at] &&
	       strcmp(events->systems[events->system_index[at] - 1], name))
		at = (at + 1) & mask;
	return &events->system_index[at];
}

int events_system(const struct root *root, const char *name)
{
	uint32_t number = root_events(root)->system_index ? *index_place(root, name) : 0;

	return number ? (int)number - 1 : -ENOENT;
}

/* Make space for one more system of events, in events.systems and in events.system_index. */
static int grow_systems(struct root *root)
{
	struct events *events = root_events(root);
	uint32_t size = events->system_index_size ? events->system_index_size : 16;
	uint32_t *index;
	char **systems;

	if (events->system_index && events->nr_systems < size / 2)
		return 0;
	size *= 2;
	systems = realloc(events->systems, size / 2 * sizeof(*systems));
	if (!systems)
		return -ENOMEM;
	events->systems = systems;
	index = calloc(size, sizeof(*index));
	if (!index)
		return -ENOMEM;
	free(events->system_index);
	events->system_index = index;
	events->system_index_size = size;
	for (uint32_t i = 0; i < events->nr_systems; i++)
		*index_place(root, systems[i]) = i + 1;
	return 0;
}

/* Return the number of the system @name.  A system that is not known yet is added.
 * Returns -ENOMEM if there is no memory. */
static int system_number(struct root *root, const char *name)
{
	struct events *events = root_events(root);
	int number = events_system(root, name);
	char *copy;

	if (number >= 0)
		return number;
	if (grow_systems(root))
		return -ENOMEM;
	copy = strdup(name);
	if (!copy)
		return -ENOMEM;
	events->systems[events->nr_systems++] = copy;
	*index_place(root, copy) = events->nr_systems;
	return (int)events->nr_systems - 1;
}

/* ---- functions that read rows of the table of events ---- */

static void event_free(struct event *event)
{
	if (!event)
		return;
	print_program_free(event->program);
	event_format_free(event->format);
	free(event);
}

/* Read one row of the table of events.  Returns NULL if the row is invalid, or if there
 * is no memory.  The other rows can be used even then. */
static struct event *event_new(struct root *root, uint32_t row)
{
	struct events *events = root_events(root);
	struct abi_event *shared = &root->events_table[row];
	struct event *event = calloc(1, sizeof(*event));
	uint64_t off = shm_load(&shared->blob);
	uint64_t bytes = shm_load(&shared->blob_bytes);
	uint64_t left = BLOB_FORMATS_BYTES - events->formats_taken;
	int system;

	if (!event)
		return NULL;
	event->row = row;
	event->number = row;
	if (off < root->heap_off ||
	    off > root->arena_off || bytes > root->arena_off - off)
		goto bad;
	event->format = blob_to_format((char *)root->memory->addr + off, bytes,
				       ABI_EVENT_ID_FIRST + row, &left);
	events->formats_taken = BLOB_FORMATS_BYTES - left;
	if (!event->format)
		goto bad;
	event->is_late = shm_load(&shared->flags) & ABI_EVENT_LATE;
	event->is_own = shm_load(&shared->flags) & ABI_EVENT_OWN;
	system = system_number(root, event->format->system);
	if (system < 0)
		goto bad;
	event->system_number = (uint32_t)system;
	return event;
bad:
	event_free(event);
	return NULL;
}

static int compare_names(const struct event *a, const char *system,
			 const char *name)
{
	int r = strcmp(a->format->system, system);

	return r ? r : strcmp(a->format->name, name);
}

/* Compare two events for qsort(): by system, then by name.  Of events with the same
 * system and name, the newest comes first. */
static int compare_events(const void *pa, const void *pb)
{
	const struct event *a = *(struct event *const *)pa;
	const struct event *b = *(struct event *const *)pb;
	int r = compare_names(a, b->format->system, b->format->name);

	return r ? r : (a->row < b->row) - (a->row > b->row);
}

/* Sort the events of the rows @first to @end - 1 by name, and merge them into the sorted
 * array events.by_name. */
static int sort_names(struct root *root, uint32_t first, uint32_t end)
{
	struct events *events = root_events(root);
	uint32_t nr_old = events->nr_by_name, nr_new = 0, old = 0, nr = 0;
	struct event **all = calloc(nr_old + (end - first) + 1, sizeof(*all));
	struct event **new = calloc(end - first + 1, sizeof(*new));

	if (!all || !new) {
		free(all);
		free(new);
		return -ENOMEM;
	}
	for (uint32_t row = first; row < end; row++)
		if (events->rows[row])
			new[nr_new++] = events->rows[row];
	qsort(new, nr_new, sizeof(*new), compare_events);
	for (uint32_t i = 0; i < nr_new; i++) {
		while (old < nr_old && compare_events(&events->by_name[old], &new[i]) < 0)
			all[nr++] = events->by_name[old++];
		all[nr++] = new[i];
	}
	while (old < nr_old)
		all[nr++] = events->by_name[old++];
	for (uint32_t i = 0; i < nr; i++)
		all[i]->name_place = i;
	free(new);
	free(events->by_name);
	events->by_name = all;
	events->nr_by_name = nr;
	return 0;
}

/* Free the server's copies of the rows from row @first on, in the table of events. */
static void forget_rows(struct root *root, uint32_t first)
{
	struct events *events = root_events(root);

	for (uint32_t row = first; row < events->nr; row++)
		event_free(events->rows[row]);
	events->nr = first;
}

/* Make the array events.rows large enough for @nr rows.  The function sets new rows of
 * dynamic events to NULL.  The caller must set the other new rows. */
static int grow_rows(struct events *events, uint32_t nr)
{
	struct event **rows = realloc(events->rows, nr * sizeof(*rows));

	if (!rows)
		return -ENOMEM;
	events->rows = rows;
	for (; events->nr < ABI_DYNAMIC && events->nr < nr; events->nr++)
		rows[events->nr] = NULL;
	return 0;
}

/* Read new rows of the table of events that belong to modules.  The rows of dynamic
 * events are read by server/dynamic. */
static int read_rows(struct root *root)
{
	uint32_t nr = shm_load(&root->control->nr_events), first;	/* [table.rows] */
	struct events *events = root_events(root);
	int r;

	nr = (uint32_t)max_u64(min_u32(nr, ABI_EVENTS), ABI_DYNAMIC);
	if (nr <= events->nr)
		return 0;
	r = grow_rows(events, nr);
	if (r)
		return r;
	first = events->nr;
	for (uint32_t row = first; row < nr; row++)
		events->rows[row] = event_new(root, row);
	events->nr = nr;
	r = sort_names(root, first, nr);
	if (r)
		forget_rows(root, first);
	return r;
}

struct event *event_elder(const struct root *root, const struct event *event)
{
	struct events *events = root_events(root);
	uint32_t at = event->name_place + 1;

	return at < events->nr_by_name && event_is_named_as(events->by_name[at], event) ?
	       events->by_name[at] : NULL;
}

struct event *event_youngest(const struct root *root, const struct event *event)
{
	struct events *events = root_events(root);
	uint32_t at = event->name_place;

	while (at && event_is_named_as(events->by_name[at - 1], event))
		at--;
	return events->by_name[at];
}

/* Find the module of @event again: a module that was unloaded and loaded again may have
 * another row in the table of modules. */
static void find_module(const struct root *root, struct event *event)
{
	event->module = shm_load(&root->events_table[event->row].module) % ABI_MODULES;
	event->is_present = root->modules_seen[event->module / 64] >> event->module % 64 & 1;
}

/* Fill events.visible: for each system and name, the newest event whose module is
 * loaded. */
static int find_visible(struct root *root)
{
	struct events *events = root_events(root);
	struct event **visible = calloc(events->nr_by_name + 1, sizeof(*visible));
	uint32_t nr = 0;

	if (!visible)
		return -ENOMEM;
	for (uint32_t i = 0; i < events->nr_by_name; i++) {
		struct event *event = events->by_name[i];

		if (!event_is_dynamic(event))
			find_module(root, event);
		event->is_visible = event->is_present &&
				    !(nr && event_is_named_as(visible[nr - 1], event));
		if (event->is_visible)
			visible[nr++] = event;
	}
	free(events->visible);
	events->visible = visible;
	events->nr_visible = nr;
	return 0;
}

/*
 * Report in error_log that a process has refused a module, which was built with headers
 * of another version.  Report this only once for each root, so that a hostile program
 * cannot fill the log.
 */
static void log_refused(struct root *root, struct events *events)
{
	char command[48];

	for (uint32_t slot = 0; slot < ABI_PROCESSES && !events->has_refused; slot++) {
		uint32_t version = root->process[slot] ?
				   shm_load(&root->processes[slot].refused) : 0;

		if (!version)
			continue;
		events->has_refused = true;
		snprintf(command, sizeof(command), "ULF_ABI_VERSION %u", version);
		error_log_add(&root->top, "module", "A module was built with headers of another "
			      "ulf, so its events are missing; build it with those of the libulf "
			      "that the program loads", command, 0);
	}
}

int events_refresh(struct root *root)
{
	struct events *events = root_events(root);
	uint64_t modules[ABI_MODULES / 64];
	uint32_t tables = shm_load(&root->control->tables_changed);	/* [table.change] */
	int r;

	if (tables != events->tables_seen) {
		process_scan(root);
		log_refused(root, events);
	}
	modules_union(root, modules);
	if (events->visible && tables == events->tables_seen &&
	    !memcmp(modules, root->modules_seen, sizeof(modules)))
		return 0;
	r = read_rows(root);
	if (r < 0)
		return r;
	memcpy(root->modules_seen, modules, sizeof(modules));
	r = find_visible(root);
	if (!r)
		events->tables_seen = tables;
	return r;
}

/* ---- dynamic events ---- */

int events_put_dynamic(struct root *root, const struct event *what, uint32_t order)
{
	struct event *event = calloc(1, sizeof(*event));
	int system = system_number(root, what->format->system);

	if (!event || system < 0) {
		free(event);
		return -ENOMEM;
	}
	*event = (struct event){
		.row = what->row,
		.number = ABI_EVENTS + order % (EVENT_NUMBERS - ABI_EVENTS),
		.module = ABI_MODULE_DYNAMIC,
		.system_number = (uint32_t)system,
		.is_present = true,
		.format = what->format,
		.print = what->print,
		.def = what->def,
		.settle = what->settle,
	};
	root_events(root)->rows[what->row] = event;
	return 0;
}

int events_show_dynamic(struct root *root, uint32_t first, uint32_t end)
{
	int r = sort_names(root, first, end);

	return r ? r : find_visible(root);
}

int events_add_dynamic(struct root *root, const struct event *what, uint32_t order)
{
	int r = events_put_dynamic(root, what, order);

	if (r)
		return r;
	r = events_show_dynamic(root, what->row, what->row + 1);
	if (r) {
		/* The call has failed, so the caller keeps the format:
		 * events_remove_dynamic() must not free it. */
		root_events(root)->rows[what->row]->format = NULL;
		events_remove_dynamic(root, what->row);
	}
	return r;
}

void events_remove_dynamic(struct root *root, uint32_t row)
{
	struct events *events = root_events(root);
	struct event *event = events->rows[row];
	uint32_t nr = 0;

	for (uint32_t i = 0; i < events->nr_by_name; i++) {
		if (events->by_name[i] == event)
			continue;
		events->by_name[i]->name_place = nr;
		events->by_name[nr++] = events->by_name[i];
	}
	events->nr_by_name = nr;
	nr = 0;
	for (uint32_t i = 0; i < events->nr_visible; i++)
		if (events->visible[i] != event)
			events->visible[nr++] = events->visible[i];
	events->nr_visible = nr;
	events->rows[row] = NULL;
	event_free(event);
}

void events_done(struct root *root)
{
	struct events *events = root_events(root);

	forget_rows(root, 0);
	for (uint32_t i = 0; i < events->nr_systems; i++)
		free(events->systems[i]);
	free(events->rows);
	free(events->by_name);
	free(events->visible);
	free(events->systems);
	free(events->system_index);
	*events = (struct events){ 0 };
}

void events_reset(struct root *root, uint32_t number)
{
	struct events *events = root_events(root);

	for (uint32_t row = 0; row < events->nr; row++) {
		uint32_t *wanted = &root->events_table[row].wanted;

		/* Skip rows without a dynamic event, whose memory is possibly not
		 * reserved. */
		if (row >= ABI_DYNAMIC || events->rows[row])
			shm_store(wanted, shm_load(wanted) & ~(1u << number));
	}
}

void events_drop(struct instance *instance)
{
	events_reset(instance->root, instance->number);
}

struct event *events_find(struct root *root, const char *system,
			  const char *name)
{
	struct events *events = root_events(root);
	uint32_t low = 0, high = events->nr_visible;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		struct event *event = events->visible[middle];
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

struct event *events_find_any(const struct root *root, const char *system, const char *name)
{
	struct events *events = root_events(root);
	uint32_t low = 0, high = events->nr_by_name;

	while (low < high) {		/* find the first event whose name is >=
					 * @system:@name */
		uint32_t middle = low + (high - low) / 2;

		if (compare_names(events->by_name[middle], system, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < events->nr_by_name && !compare_names(events->by_name[low], system, name) ?
	       events->by_name[low] : NULL;
}

struct event *events_by_id(struct root *root, uint32_t id)
{
	struct events *events = root_events(root);
	uint32_t row = id - ABI_EVENT_ID_FIRST;

	if (id < ABI_EVENT_ID_FIRST)
		return NULL;
	if (row >= events->nr && root_is_usable(root))
		events_refresh(root);
	return row < events->nr ? events->rows[row] : NULL;
}

struct event *events_by_number(const struct root *root, uint32_t number)
{
	struct events *events = root_events(root);

	if (number < ABI_EVENTS)
		return number >= ABI_DYNAMIC && number < events->nr ? events->rows[number] : NULL;
	for (uint32_t row = 0; row < ABI_DYNAMIC && row < events->nr; row++)
		if (events->rows[row] && events->rows[row]->number == number)
			return events->rows[row];
	return NULL;
}

bool events_has_system(const struct root *root, const char *system)
{
	struct events *events = root_events(root);
	uint32_t low = 0, high = events->nr_visible;

	while (low < high) {		/* find the first visible event whose system is
					 * >= @system */
		uint32_t middle = low + (high - low) / 2;

		if (strcmp(events->visible[middle]->format->system, system) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < events->nr_visible &&
	       !strcmp(events->visible[low]->format->system, system);
}

/*
 * Return true if the print format of an event can be compiled in 20 ms.  The compiler
 * searches all fields for each name in the print format.  Estimate that there is a name
 * in each 8 bytes.
 */
static bool is_soon_compiled(const struct event_format *format)
{
	return strlen(format->print_fmt) / 8 * format->nr_fields <= 4000000;
}

const struct print_program *event_program(struct event *event)
{
	if (!event->is_compiled) {
		event->is_compiled = true;
		if (is_soon_compiled(event->format) &&
		    print_compile(event->format, &event->program) < 0)
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
	       !shm_load(&shared->failed);		/* [event.failed] */
}

bool event_is_listed(const struct root *root, const struct event *event)
{
	const struct abi_event *shared = &root->events_table[event->row];

	return event->is_visible &&
	       (!event->is_own || shm_load(&shared->wanted) || shm_load(&shared->was_wanted));
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

	/* Check the bit in @wanted, too: if a boot setting has switched the event on, a
	 * process has set this bit itself. */
	if ((is_on || wanted & bit) &&
	    (row < ABI_DYNAMIC || shm_load(&shared->flags) & ABI_EVENT_OWN))
		shm_store(&shared->was_wanted, shm_load(&shared->was_wanted) | bit);
	shm_store(&shared->failed, 0);
	shm_store(&shared->wanted, is_on ? wanted | bit : wanted & ~bit); /* [event.wanted] */
}

/* Enable or disable one row of an event.  If the event is in soft mode, disabling it
 * changes only the event's rule word, and the probe stays registered. */
static void event_set(struct instance *instance, const struct event *event,
		      bool is_on)
{
	const struct soft_event *soft = soft_find(instance, event);

	if (soft)
		soft_set(instance, soft, is_on);
	if (is_on || !soft)
		event_want(instance, event->row, is_on);
}

int events_settle(struct instance *instance)
{
	struct events *events = root_events(instance->root);
	int ret = 0;

	for (uint32_t row = 0; row < ABI_DYNAMIC && row < events->nr; row++) {
		const struct event *event = events->rows[row];
		int r = event && event->settle ? event->settle(instance, event) : 0;

		ret = ret ? ret : r;
	}
	return ret;
}

int event_need(struct instance *instance, const struct event *event)
{
	const struct root *root = instance->root;
	const struct root_part *part;
	int r = 0;

	for_each_root_part(part, root->parts, event_need)
		if (!r)
			r = part->event_need(instance, event);
	if (r)
		return r;
	return event->is_late ? instance_need_late(instance) : instance_need_rings(instance);
}

/* The rows of events that a write to a file of events selects. */
struct selection {
	const struct event_match *match;
	bool has_own;			/* true: libulf's own events, too */
};

/*
 * Return true if libulf's own events may be among the events that a write enables.  A write that
 * selects all events does not enable them, because they cost more than others.  If
 * the program itself has events of these names, a write that names no system means the
 * events of the program.
 */
static bool may_be_own(const struct events *events, const struct event_match *match)
{
	if (match->system)
		return true;
	if (!match->name && !match->either)
		return false;
	for (uint32_t i = 0; i < events->nr_visible; i++)
		if (!events->visible[i]->is_own && is_match(events->visible[i], match))
			return false;
	return true;
}

static bool is_selected(const struct event *event, const struct selection *selection)
{
	return (!event->is_own || selection->has_own) && is_match(event, selection->match);
}

/* Make the rings that the visible events of @selection need.  Returns 0; -EINVAL if there is
 * no such event; or another -errno. */
static int need_rings(struct instance *instance, const struct selection *selection)
{
	const struct events *events = root_events(instance->root);
	int r = -EINVAL;

	for (uint32_t i = 0; i < events->nr_visible && (!r || r == -EINVAL); i++)
		if (is_selected(events->visible[i], selection))
			r = event_need(instance, events->visible[i]);
	return r;
}

static bool has_selected(const struct events *events, const struct selection *selection)
{
	for (uint32_t i = 0; i < events->nr_visible; i++)
		if (is_selected(events->visible[i], selection))
			return true;
	return false;
}

/* Enable or disable events.  All rows of an event change, even those of modules that are
 * not loaded now, because these modules may be loaded again. */
int events_set(struct instance *instance, const struct event_match *match,
	       bool is_on)
{
	struct root *root = instance->root;
	struct events *events = root_events(root);
	struct selection selection = { match, true };
	int r;

	r = events_refresh(root);
	if (r < 0)
		return r;
	rules_refresh(instance);
	if (is_on)
		selection.has_own = may_be_own(events, match);
	if (!has_selected(events, &selection))
		return -EINVAL;
	if (is_on) {
		if (root->state == SERVER_ROOT_DEAD)
			return -ENODEV;
		r = need_rings(instance, &selection);
		if (r < 0)
			return r;
	}
	for (uint32_t row = 0; row < events->nr; row++)
		if (events->rows[row] && is_selected(events->rows[row], &selection))
			event_set(instance, events->rows[row], is_on);
	return events_settle(instance);
}
