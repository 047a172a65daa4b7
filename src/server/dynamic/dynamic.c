/* SPDX-License-Identifier: MIT */
/* Make, load and remove rows of dynamic events; see dynamic.h. */
#include "server/dynamic/dynamic.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "event/format.h"
#include "server/core/apply.h"
#include "server/core/arena.h"
#include "server/core/block.h"
#include "server/core/error_log.h"
#include "server/core/mapping.h"
#include "server/core/shm.h"
#include "server/rings/rings.h"
#include "server/rules/event_blob.h"
#include "server/rules/rules.h"

#define BLOCK_BYTES_MAX	(256u << 10)	/* maximum size of the block of a dynamic event,
					 * bytes */

struct dynamic_event *dynamic_of(const struct root *root, uint32_t row)
{
	struct dynamic_event *event;

	TAILQ_FOREACH(event, &root_dynamic(root)->list, link)
		if (event->row == row)
			return event;
	return NULL;
}

struct event *dynamic_row_of(const struct root *root, const struct dynamic_event *event)
{
	return root_events(root)->rows[event->row];
}

void dynamic_get(struct root *root, uint32_t row)
{
	struct dynamic_event *event = dynamic_of(root, row);

	if (event)
		event->refs++;
}

void dynamic_put(struct root *root, uint32_t row)
{
	struct dynamic_event *event = dynamic_of(root, row);

	if (event && event->refs)
		event->refs--;
}

struct dynamic_event *dynamic_find(const struct root *root, const struct dynamic_kind *kind,
				   const char *system, const char *name)
{
	struct dynamic_event *event;

	TAILQ_FOREACH(event, &root_dynamic(root)->list, link) {
		const struct event_format *format = dynamic_row_of(root, event)->format;

		if ((!kind || event->kind == kind) && !strcmp(format->name, name) &&
		    !strcmp(format->system, system))
			return event;
	}
	return NULL;
}

/* Return, as one bit for each buffer, the buffers that possibly have records of the event
 * in row @row. */
static uint32_t stale_buffers(const struct root *root, uint32_t row)
{
	return shm_load(&root->events_table[row].was_wanted);
}

/* ---- add an event ---- */

static struct dynamic_event *make_event(const struct dynamic_kind *kind, void *def,
					uint32_t row, uint32_t order)
{
	struct dynamic_event *event = malloc(sizeof(*event));

	if (event)
		*event = (struct dynamic_event){
			.kind = kind, .def = def, .row = row, .order = order,
		};
	return event;
}

static void event_done(struct dynamic_event *event)
{
	event->kind->free(event->def);
	free(event);
}

/* Insert @event into the list of dynamic events, which is sorted by order number. */
static void insert_event(struct dynamic_events *events, struct dynamic_event *event)
{
	struct dynamic_event *before = TAILQ_LAST(&events->list, dynamic_list);

	while (before && before->order > event->order)
		before = TAILQ_PREV(before, dynamic_list, link);
	if (before)
		TAILQ_INSERT_AFTER(&events->list, before, event, link);
	else
		TAILQ_INSERT_HEAD(&events->list, event, link);
	events->rows[event->row].is_used = true;
}

/* Clear those buffers whose bits are in @buffers, because they possibly have records of
 * removed events. */
static void clear_buffers(struct root *root, uint32_t buffers)
{
	struct instance *instance;

	for_each_instance(instance, root)
		if (buffers >> instance->number & 1)
			instance_clear(instance, RINGS_ALL, CPU_ALL);
}

void dynamic_clear_stale(struct root *root)
{
	const struct dynamic_events *events = root_dynamic(root);
	uint32_t buffers = 0;

	for (uint32_t row = 0; row < ABI_DYNAMIC; row++)
		if (!events->rows[row].is_used)
			buffers |= stale_buffers(root, row);
	if (!buffers)
		return;
	clear_buffers(root, buffers);
	for (uint32_t row = 0; row < ABI_DYNAMIC; row++)
		if (!events->rows[row].is_used && stale_buffers(root, row))
			shm_store(&root->events_table[row].was_wanted, 0);
}

/* Return a free row for a dynamic event; -ENOSPC if there is none.  @is_clean: true to
 * accept only a row of which no buffer can still have records. */
static int find_row(struct root *root, bool is_clean)
{
	struct dynamic_events *events = root_dynamic(root);
	uint32_t settled = 0;		/* last generation that is known to be applied by
					 * all processes */

	for (uint32_t row = 0; row < ABI_DYNAMIC; row++) {
		struct dynamic_row *at = &events->rows[row];

		if (at->is_used || (is_clean && stale_buffers(root, row)))
			continue;
		if (at->generation && at->generation != settled) {
			if (!apply_is_settled(root, at->generation))
				continue;
			settled = at->generation;
		}
		return (int)row;
	}
	return -ENOSPC;
}

/*
 * Return a free row for a new event, or -ENOSPC.  A row is free for this if no buffer has
 * records of an earlier event in the row.  If there is no such row, clear the buffers and
 * search again.
 */
static int choose_row(struct root *root)
{
	int row = find_row(root, true);

	if (row >= 0)
		return row;
	dynamic_clear_stale(root);
	row = find_row(root, true);
	if (row < 0)
		error_log_add(&root->top, "dynamic_events",
			      "No more dynamic events; remove one that is not needed", "", 0);
	return row;
}

/* Write the block of the event in row @row, and publish it by storing its offset in the
 * row. */
static int publish_event(struct root *root, const struct dynamic_event *event,
			 const struct event_format *format, struct abi_ring_ref *ret_block)
{
	struct abi_event *shared = &root->events_table[event->row];
	uint32_t blob_bytes, names = 0;
	struct abi_ring_ref block = { 0, 0 };
	struct block_draft draft;
	struct text text;
	int r;

	text_init(&text, BLOCK_BYTES_MAX);
	blob_from_format(format, &text);
	blob_bytes = (uint32_t)text.len;
	text_fill(&text, '\0', ALIGN_UP(text.len, 8) - text.len);
	names = (uint32_t)text.len;
	event->kind->define(event->def, &text);
	text_putc(&text, '\0');
	r = text.error ? text.error : text.len - names > DYNAMIC_DEFINITION_MAX ? -E2BIG :
	    root_reserve(root, shared, sizeof(*shared));
	if (!r)
		r = block_begin(root, text.len, text.len, &draft);
	if (!r) {
		memcpy(draft.map->addr, text.data, text.len);
		shm_store(&shared->blob, 0);
		shm_store(&shared->blob_bytes, blob_bytes);
		shm_store(&shared->module, ABI_MODULE_DYNAMIC);
		shm_store(&shared->wanted, 0);
		shm_store(&shared->failed, 0);
		shm_store(&shared->twin, 0);
		shm_store(&shared->names_bytes, (uint32_t)text.len - names);
		shm_store(&shared->names, draft.ref.off + names);
		shm_store(&shared->order, event->order);
		r = block_publish(root, &draft, &block, &shared->blob);
	}
	text_done(&text);
	*ret_block = block;
	return r;
}

/* Return the contents that the server's copy of the row of @event must have. */
static struct event row_of(const struct dynamic_event *event, struct event_format *format)
{
	return (struct event){
		.row = event->row,
		.format = format,
		.print = event->kind->print,
		.def = event->def,
		.settle = event->kind->settle,
	};
}

/* Publish @event, whose row was chosen before, and add it to the events that users see. */
static int add_to_row(struct root *root, struct dynamic_event *event)
{
	struct event_format *format =
		event->kind->format(event->def, ABI_EVENT_ID_FIRST + event->row);
	struct event row = row_of(event, format);
	int r = format ? 0 : -ENOMEM;

	if (!r && (strlen(format->name) > DYNAMIC_NAME_MAX ||
		   strlen(format->system) > DYNAMIC_NAME_MAX))
		r = -ENAMETOOLONG;
	if (!r)
		r = publish_event(root, event, format, &event->block);
	if (!r)
		r = events_add_dynamic(root, &row, event->order);
	if (!r)
		return 0;
	if (event->block.off)
		block_retire(root, &event->block, &root->events_table[event->row].blob);
	event_format_free(format);
	return r;
}

int dynamic_add(struct root *root, const struct dynamic_kind *kind, void *def)
{
	struct dynamic_events *events = root_dynamic(root);
	struct dynamic_event *event;
	int r;

	if (root->state != SERVER_ROOT_ALIVE)
		return -ENODEV;
	r = choose_row(root);
	if (r < 0)
		return r;
	event = make_event(kind, def, (uint32_t)r, events->next_order);
	if (!event)
		return -ENOMEM;
	r = add_to_row(root, event);
	if (r) {
		free(event);
		return r;
	}
	events->next_order++;
	insert_event(events, event);
	if (kind->link)
		kind->link(root, event);
	return 0;
}

/* ---- remove events ---- */

bool dynamic_is_busy(const struct root *root, const struct dynamic_event *event)
{
	return event->refs || event->nr_probes ||
	       shm_load(&root->events_table[event->row].wanted);
}

/* Remove @event from the server's lists, and mark its row as free. */
static void take_out(struct root *root, struct dynamic_event *event)
{
	struct dynamic_events *events = root_dynamic(root);

	TAILQ_REMOVE(&events->list, event, link);
	events->rows[event->row] = (struct dynamic_row){
		.generation = shm_load(&root->control->generation) + 1,
	};
	events_remove_dynamic(root, event->row);
}

int dynamic_remove(struct root *root, struct dynamic_event *event)
{
	struct instance *instance;
	int r = dynamic_is_busy(root, event) ? -EBUSY : 0;

	if (!r && event->kind->unlink)
		r = event->kind->unlink(root, event);
	for_each_instance(instance, root)
		if (!r)
			r = rules_forget_row(instance, event->row);
	if (r)
		return r;
	block_retire(root, &event->block, &root->events_table[event->row].blob);
	take_out(root, event);
	event_done(event);
	return 0;
}

int dynamic_remove_all(struct root *root, const struct dynamic_kind *kind)
{
	struct dynamic_events *events = root_dynamic(root);
	struct dynamic_event *event, *next;
	int r = 0;

	TAILQ_FOREACH(event, &events->list, link)
		if ((!kind || event->kind == kind) && event->refs)
			r = -EBUSY;
	for (event = TAILQ_FIRST(&events->list); !r && event; event = next) {
		next = TAILQ_NEXT(event, link);
		if (!kind || event->kind == kind)
			r = dynamic_remove(root, event);
	}
	dynamic_clear_stale(root);
	return r;
}

void dynamic_drop(struct instance *instance)
{
	struct root *root = instance->root;
	uint32_t bit = 1u << instance->number;

	for (uint32_t row = 0; row < ABI_DYNAMIC; row++) {
		uint32_t stale = stale_buffers(root, row);

		if (stale & bit)
			shm_store(&root->events_table[row].was_wanted, stale & ~bit);
	}
}

/* ---- functions that load the rows of the previous server ---- */

/* Copy the definition to which @abi refers from shared memory, and set *@ret_block to the
 * event's block.  Returns NULL if the row is invalid, or if there is no memory. */
static char *copy_definition(const struct root *root, const struct abi_event *abi,
			     struct abi_ring_ref *ret_block)
{
	uint64_t start = abi->names - abi->blob;	/* offset of the definition in the block */
	struct abi_ring_ref block = {
		abi->blob, ABI_PAGE_ALIGN(start + abi->names_bytes),
	};
	struct mapping *map;
	char *copy;

	if (abi->names < abi->blob || start > BLOCK_BYTES_MAX || !abi->names_bytes ||
	    abi->names_bytes > DYNAMIC_DEFINITION_MAX || !arena_has(root, &block) ||
	    mapping_new(root->fd, block.off, block.bytes, &map))
		return NULL;
	copy = strndup((const char *)map->addr + start, abi->names_bytes);
	mapping_put(map);
	*ret_block = block;
	return copy;
}

static const struct dynamic_kind *find_kind(char letter)
{
	for (uint32_t i = 0; i < nr_dynamic_kinds; i++)
		if (dynamic_kinds[i]->letter == letter)
			return dynamic_kinds[i];
	return NULL;
}

/* Load the event with the definition @definition.  If the definition is invalid, the
 * event is skipped. */
static int load_event(struct root *root, uint32_t row, const struct abi_event *abi,
		      const char *definition, const struct abi_ring_ref *block)
{
	const struct dynamic_kind *kind = find_kind(*definition);
	struct dynamic_event *event;
	struct event_format *format;
	void *def;
	int r = kind ? kind->load(definition, &def) : -EINVAL;

	if (r)
		return r == -ENOMEM ? r : 0;
	event = make_event(kind, def, row, abi->order);
	format = kind->format(def, ABI_EVENT_ID_FIRST + row);
	r = !event || !format ? -ENOMEM :
	    dynamic_find(root, NULL, format->system, format->name) ? -EEXIST : 0;
	if (!r) {
		struct event what = row_of(event, format);

		r = events_put_dynamic(root, &what, abi->order);
	}
	if (r) {
		event_format_free(format);
		kind->free(def);
		free(event);
		return r == -EEXIST ? 0 : r;
	}
	event->block = *block;
	insert_event(root_dynamic(root), event);
	return 0;
}

static int load_row(struct root *root, uint32_t row, const struct abi_event *abi)
{
	struct abi_ring_ref block;
	char *definition;
	int r;

	if (!abi->blob)
		return 0;
	definition = copy_definition(root, abi, &block);
	r = definition ? load_event(root, row, abi, definition, &block) : 0;
	free(definition);
	return r;
}

static int load_rows(struct root *root, const struct abi_event rows[ABI_DYNAMIC])
{
	struct dynamic_events *events = root_dynamic(root);
	int r = 0;

	events->next_order = 1;
	for (uint32_t row = 0; !r && row < ABI_DYNAMIC; row++) {
		r = load_row(root, row, &rows[row]);
		/* Number new events after all events of the table, also after removed
		 * ones, so that no order number is used twice. */
		if (rows[row].order >= events->next_order)
			events->next_order = rows[row].order + 1;
	}
	return r ? r : events_show_dynamic(root, 0, ABI_DYNAMIC);
}

int dynamic_init(struct root *root)
{
	const size_t bytes = ABI_DYNAMIC * sizeof(struct abi_event);
	struct dynamic_events *events = calloc(1, sizeof(*events));
	struct abi_event *rows = malloc(bytes);
	off_t off = (char *)root->events_table - (char *)root->memory->addr;
	struct dynamic_event *event;
	int r = 0;

	root->part_state[ROOT_PART_DYNAMIC] = events;
	if (!events || !rows) {
		free(rows);
		return -ENOMEM;
	}
	TAILQ_INIT(&events->list);
	for (uint32_t row = 0; row < ABI_DYNAMIC; row++)
		events->rows[row].generation = shm_load(&root->control->generation);
	/* Read the rows with pread(2), because loads from rows that were never written
	 * would allocate memory of the file. */
	if (pread(root->fd, rows, bytes, off) == (ssize_t)bytes)
		r = load_rows(root, rows);
	free(rows);
	TAILQ_FOREACH(event, &events->list, link)
		if (!r && event->kind->link)
			event->kind->link(root, event);
	return r;
}

void dynamic_done(struct root *root)
{
	struct dynamic_events *events = root_dynamic(root);
	struct dynamic_event *event;

	if (!events)
		return;
	while ((event = TAILQ_FIRST(&events->list))) {
		TAILQ_REMOVE(&events->list, event, link);
		event_done(event);
	}
	free(events);
	root->part_state[ROOT_PART_DYNAMIC] = NULL;
}

void dynamic_list_blocks(const struct root *root, struct extent_list *list)
{
	const struct dynamic_events *events = root_dynamic(root);
	const struct dynamic_event *event;

	if (!events)
		return;
	TAILQ_FOREACH(event, &events->list, link)
		arena_list_block(list, &event->block);
}
