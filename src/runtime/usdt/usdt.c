/* SPDX-License-Identifier: MIT */
/*
 * Make events from the tables of USDT probes, and switch their sites.
 *
 *	server		the block abi_control.usdt: objects that have probes, and which file has the
 *			table of each
 *	this file	reads the table, checks that it belongs to the object, and makes a module
 *			(struct ulf_module) with an event for each probe
 *	module.c, ...	treat the module like one that a compiler has made: rows of the table of
 *			events, filters, triggers, plans
 *	this file	switches the sites of the events that are on, and counts semaphores
 *
 * Any process of the root can write the block.  The block only chooses among files that the
 * server has written, and the kernel confirms that the table belongs to the mapped file
 * (moved_file.c).
 *
 * The struct of an unloaded object is not freed, because other threads may walk the list of
 * modules without a lock.  It is reused for an object with the same table.
 *
 * All functions run under runtime_lock().
 */
#include "runtime/usdt/usdt.h"

#include <errno.h>
#include <string.h>
#include <sys/auxv.h>

#include "abi/control.h"
#include "abi/usdt.h"
#include "runtime/base/lock.h"
#include "runtime/base/memory.h"
#include "runtime/base/root.h"
#include "runtime/event/event.h"
#include "runtime/event/module.h"
#include "runtime/function/ftrace.h"
#include "runtime/function/moved_file.h"
#include "runtime/function/object.h"
#include "runtime/function/still.h"
#include "runtime/unwind/loaded.h"
#include "runtime/unwind/unwinders.h"

/* An object with probes. */
struct usdt_object {
	struct usdt_object *next;
	uint64_t id;			/* name of the table's file */
	uint64_t text, text_end;	/* addresses of the object's code: start and
					 * end; 0: the object was unloaded */
	bool is_named;			/* true: the server's block names the object */
	bool is_registered;		/* true: @module is registered */
	bool is_updating;		/* true: the sites of this object are being
					 * switched */
	const struct usdt_head *table;
	struct ulf_module module;
	struct ulf_event **events;	/* array of the events of the table,
					 * table->nr_events elements */
	struct usdt_place *places;	/* array of the sites that can be patched,
					 * sites.nr elements */
	struct usites sites;
};

static struct usdt_object *objects;
static bool has_put_off;		/* true: an update of sites was put off, because
					 * a library may be unloaded at this moment */

/* ---- make events ---- */

/* A writer of text that does not use libc, because the agent is no thread of
 * libc. */
struct pen {
	char *at, *end;
};

static void put_text(struct pen *pen, const char *text)
{
	while (*text && pen->at < pen->end)
		*pen->at++ = *text++;
	*pen->at = '\0';
}

static void put_number(struct pen *pen, uint32_t number)
{
	char digits[3] = { (char)('0' + number / 10), (char)('0' + number % 10), '\0' };

	put_text(pen, number < 10 ? digits + 1 : digits);
}

/* Names of the arguments, which all events share: arg1 to arg12. */
static char arg_names[USDT_ARGS_MAX][8];

static const struct ulf_field *field_of_size(uint32_t bytes, bool is_signed)
{
	static const struct ulf_field fields[] = {
		{ .type = "u8", .size = 1 }, { .type = "u16", .size = 2 },
		{ .type = "u32", .size = 4 }, { .type = "u64", .size = 8 },
		{ .type = "s8", .size = 1, .is_signed = 1 },
		{ .type = "s16", .size = 2, .is_signed = 1 },
		{ .type = "s32", .size = 4, .is_signed = 1 },
		{ .type = "s64", .size = 8, .is_signed = 1 },
	};
	uint32_t i = is_signed ? 4 : 0;

	while (fields[i].size != bytes)
		i++;
	return &fields[i];
}

/* Make the fields of an event, one for each argument.  Returns the last
 * field. */
static struct ulf_field *make_fields(struct usdt_made *made, const struct usdt_event *row)
{
	struct ulf_field *field = made->fields;
	uint32_t at = sizeof(struct trace_entry) + sizeof(uint64_t);

	*field++ = (struct ulf_field){
		.type = "unsigned long", .name = "__probe_ip",
		.offset = sizeof(struct trace_entry), .size = sizeof(uint64_t),
	};
	for (uint32_t i = 0; i < row->nr_args; i++) {
		if (!row->bytes[i])
			continue;
		at = (at + row->bytes[i] - 1) & -(uint32_t)row->bytes[i];
		*field = *field_of_size(row->bytes[i], row->is_signed[i]);
		field->name = arg_names[i];
		field->offset = at;
		made->offsets[i] = (uint8_t)at;
		made->sizes[i] = row->bytes[i];
		at += row->bytes[i];
		field++;
	}
	made->nr_args = row->nr_args;
	made->bytes = (at + 7) & ~7u;
	*field = (struct ulf_field){ .size = made->bytes };
	return field;
}

static void make_print_fmt(struct usdt_made *made, const struct ulf_field *end)
{
	struct pen pen = { made->print_fmt, made->print_fmt + sizeof(made->print_fmt) - 1 };

	put_text(&pen, "(%lx)");
	for (const struct ulf_field *field = made->fields + 1; field < end; field++) {
		put_text(&pen, " ");
		put_text(&pen, field->name);
		put_text(&pen, field->size == sizeof(uint64_t) ?
			 field->is_signed ? "=%lld" : "=%llu" :
			 field->is_signed ? "=%d" : "=%u");
	}
	put_text(&pen, "\1REC->__probe_ip");
	for (const struct ulf_field *field = made->fields + 1; field < end; field++) {
		put_text(&pen, ", REC->");
		put_text(&pen, field->name);
	}
}

static const void *no_print(void)
{
	return NULL;
}

static void make_event(const struct usdt_object *object, uint32_t i, struct usdt_made *made)
{
	const struct usdt_event *row = &usdt_events(object->table)[i];
	const char *strings = usdt_strings(object->table);

	made->event = (struct ulf_event){
		.system = strings + row->provider, .name = strings + row->name,
		.tracepoint = &made->tracepoint, .probe = (void *)usdt_probe,
		.direct = (void (*)(void))usdt_hit,
		.print_fmt = made->print_fmt, .print = no_print,
	};
	made->tracepoint.name = made->event.name;
	/* The functions @direct and @iter are never called: they mark where the stack of a
	 * hit begins (stack_save()). */
	made->tracepoint.iter = usdt_entry;
	make_print_fmt(made, make_fields(made, row));
	object->events[i] = &made->event;
}

static void make_events(struct usdt_object *object, struct usdt_made *made)
{
	struct ulf_event **events = object->events;

	for (uint32_t i = 0; i < USDT_ARGS_MAX; i++) {
		struct pen pen = { arg_names[i], arg_names[i] + sizeof(arg_names[i]) - 1 };

		put_text(&pen, "arg");
		put_number(&pen, i + 1);
	}
	for (uint32_t i = 0; i < object->table->nr_events; i++)
		make_event(object, i, &made[i]);
	object->module = (struct ulf_module){
		.version = ULF_ABI_VERSION, .events = events,
		.events_end = events + object->table->nr_events,
	};
}

/* ---- objects ---- */

static bool is_site_usable(const struct usdt_site *site)
{
	return site->reason == USDT_BY_NONE;
}

/* Returns the row of the instructions at a site; NULL if they cannot be moved. */
static const struct moved_row *find_row(const struct usdt_head *table, uint64_t vaddr)
{
	const struct moved_head *moved = usdt_moved(table);
	const struct moved_row *row = moved ? moved_find(moved, vaddr) : NULL;

	return row && row->class != MOVED_REFUSED ? row : NULL;
}

/* Set the addresses of sites, which depend on the address at which the object
 * is loaded. */
static void place_sites(struct usdt_object *object, uint64_t bias)
{
	const struct usdt_head *table = object->table;
	uint32_t nr = 0;

	object->sites.moved = usdt_moved(table);
	object->sites.bias = bias;
	for (uint32_t i = 0; i < table->nr_sites; i++) {
		const struct usdt_site *row = &usdt_sites(table)[i];
		struct usdt_place *place = &object->places[nr];

		if (!is_site_usable(row))
			continue;
		*place = (struct usdt_place){
			.made = (struct usdt_made *)object->events[row->event],
			.args = usdt_args(table) + row->first_arg, .code = bias + row->vaddr,
			.bias = bias, .semaphore = row->semaphore ? bias + row->semaphore : 0,
		};
		object->sites.list[nr] = (struct usite){
			.code = place->code, .data = place, .row = find_row(table, row->vaddr),
		};
		memcpy(object->sites.list[nr].original, row->original, sizeof(row->original));
		nr++;
	}
	object->sites.nr = nr;
}

static struct usdt_object *alloc_object(const struct usdt_head *table)
{
	struct usdt_object *object = memory_alloc(sizeof(*object));
	struct usdt_made *made = memory_alloc((table->nr_events + 1) * sizeof(*made));

	if (!object || !made) {
		memory_free(object);
		memory_free(made);
		return NULL;
	}
	object->table = table;
	object->sites.entry = (uint64_t)usdt_entry;
	object->events = memory_alloc((table->nr_events + 1) * sizeof(*object->events));
	object->places = memory_alloc((table->nr_sites + 1) * sizeof(*object->places));
	object->sites.list = memory_alloc((table->nr_sites + 1) * sizeof(*object->sites.list));
	if (object->events && object->places && object->sites.list) {
		make_events(object, made);
		return object;
	}
	memory_free(object->events);
	memory_free(object->places);
	memory_free(object->sites.list);
	memory_free(object);
	memory_free(made);
	return NULL;
}

/* Make a struct for the object @loaded, or reuse that of an unloaded object
 * with the same table. */
static int get_object(uint64_t id, const struct loaded *loaded, struct usdt_object **ret)
{
	struct usdt_object *object = objects;
	const void *table;
	int r = moved_file_load(id, loaded->text, usdt_check, &table);

	if (r)
		return r;
	while (object && (object->text || object->id != id))
		object = object->next;
	if (object) {
		memory_free((void *)table);
		*ret = object;
		return 0;
	}
	object = alloc_object(table);
	if (!object) {
		memory_free((void *)table);
		return -ENOMEM;
	}
	object->id = id;
	object->next = objects;
	objects = object;
	*ret = object;
	return 0;
}

static bool is_program(uint64_t text, uint64_t text_end)
{
	uint64_t entry = getauxval(AT_ENTRY);

	return entry >= text && entry < text_end;
}

/* Returns true if the object with this code cannot be unmapped now, so that its
 * sites may be patched. */
static bool is_safe(uint64_t text, uint64_t text_end)
{
	return ftrace_objects_are_safe() || is_program(text, text_end);
}

/* Register the events of @object as those of a module. */
static void register_object(struct usdt_object *object, const struct loaded *loaded)
{
	const struct table_object where = {
		.inside = (const void *)loaded->text, .name = loaded->image.name,
		.base = loaded->image.start, .made_id = object->id,
	};

	object->is_named = object->is_registered = true;
	module_add_made(&object->module, &where);
}

static void unregister_object(struct usdt_object *object)
{
	if (object->is_registered)
		module_remove_made(&object->module);
	object->is_registered = false;
}

static int add_object(uint64_t id, const struct loaded *loaded)
{
	struct usdt_object *object;
	int r = get_object(id, loaded, &object);

	if (r)
		return r;
	if (loaded->image.bias + object->table->text != loaded->text ||
	    loaded->image.bias + object->table->text_end != loaded->text_end)
		return -ENOENT;
	place_sites(object, loaded->image.bias);
	object->text = loaded->text;
	object->text_end = loaded->text_end;
	register_object(object, loaded);
	return 0;
}

/* Returns true if @object is not loaded at its address any more. */
static bool is_gone(const struct usdt_object *object)
{
	struct loaded loaded;

	return loaded_find(object->text, &loaded) || loaded.text != object->text ||
	       loaded.id_bytes != object->table->build_id_bytes ||
	       memcmp(loaded.id, object->table->build_id, loaded.id_bytes);
}

/* Forget an object whose text was unmapped, so that no thread can be executing the code that
 * was moved from its sites. */
static void forget_object(struct usdt_object *object)
{
	unregister_object(object);
	usites_done(&object->sites);
	object->text = object->text_end = 0;
}

/* ---- sites and semaphores ---- */

/* Add @change to a semaphore.  The parser has found it in writable data of the object, but
 * the program may have changed the access rights.  So it is written like code: a failure is
 * an error, not a SIGSEGV. */
static int count_semaphore(int fd, uint64_t addr, int change)
{
	uint16_t value;
	int r = codemem_read(fd, (const uint8_t *)addr, &value, sizeof(value));

	if (r)
		return r;
	value = (uint16_t)(value + change);
	return codemem_write(fd, (uint8_t *)addr, (const uint8_t *)&value, sizeof(value));
}

static void count_semaphores(struct usdt_object *object)
{
	int fd = codemem_begin();

	for (uint32_t i = 0; i < object->sites.nr; i++) {
		struct usdt_place *place = &object->places[i];
		bool is_on = object->sites.list[i].is_on;

		if (place->semaphore && place->is_counted != is_on &&
		    !count_semaphore(fd, place->semaphore, is_on ? 1 : -1))
			place->is_counted = is_on;
	}
	codemem_end(fd);
}

/* Returns true if one of the site's bytes belongs to a function site that is on. */
static bool is_in_function(const struct usite *site)
{
	for (const struct object *o = object_first(); o; o = o->next)
		if (site->code >= (uint64_t)o->sites.low && site->code < (uint64_t)o->sites.high &&
		    fsites_use(&o->sites, (const uint8_t *)site->code, usite_bytes(site)))
			return true;
	return false;
}

static void want_sites(struct usdt_object *object)
{
	for (uint32_t i = 0; i < object->sites.nr; i++) {
		struct usite *site = &object->sites.list[i];

		site->error = 0;
		site->is_wanted = object->places[i].made->tracepoint.enabled;
		if (site->is_wanted && !site->is_on && is_in_function(site)) {
			site->is_wanted = false;
			site->error = -EBUSY;
		}
	}
}

/* Report the events that are on at none of their sites.  Such an event counts as
 * off, and the client that switched it on gets the error. */
static int report_failed(struct usdt_object *object)
{
	int ret = 0;

	for (uint32_t e = 0; e < object->table->nr_events; e++) {
		struct usdt_made *made = (struct usdt_made *)object->events[e];
		int error = -EOPNOTSUPP;
		bool is_on = false;

		if (!made->tracepoint.enabled)
			continue;
		for (uint32_t i = 0; i < object->sites.nr; i++) {
			if (object->places[i].made != made)
				continue;
			is_on |= object->sites.list[i].is_on;
			if (object->sites.list[i].error)
				error = object->sites.list[i].error;
		}
		if (is_on)
			continue;
		if (made->event.id)
			event_set_failed(&made->event, error);
		ret = error;
	}
	return ret;
}

/* ---- sites that are switched while no other thread runs ---- */

static bool need_flip(void)
{
	for (struct usdt_object *o = objects; o; o = o->next)
		if (o->is_updating && usites_need_flip(&o->sites))
			return true;
	return false;
}

/* Returns the object with the lowest text from @from on whose sites are being switched, or NULL. */
static struct usdt_object *next_object(uint64_t from)
{
	struct usdt_object *next = NULL;

	for (struct usdt_object *o = objects; o; o = o->next)
		if (o->is_updating && o->text >= from && (!next || o->text < next->text))
			next = o;
	return next;
}

static uint64_t list_ranges(struct abi_stop_range *to)
{
	uint64_t nr = 0;

	for (struct usdt_object *o = next_object(0); o; o = next_object(o->text + 1))
		nr += usites_list_ranges(&o->sites, to ? to + nr : NULL);
	return nr;
}

static void note_use(uint64_t addr)
{
	for (struct usdt_object *o = objects; o; o = o->next)
		if (o->is_updating)
			usites_note_use(&o->sites, addr);
}

static int flip(uint32_t *ret_used)
{
	int ret = 0, r;

	for (struct usdt_object *o = objects; o; o = o->next) {
		r = o->is_updating ? usites_flip(&o->sites, ret_used) : 0;
		if (r && !ret)
			ret = r;
	}
	return ret;
}

static const struct still_sites usdt_still = { need_flip, list_ranges, note_use, flip };

/* ---- update all sites ---- */

/* Returns true if a site will be switched on. */
static bool has_new(const struct usdt_object *object)
{
	for (uint32_t i = 0; i < object->sites.nr; i++)
		if (object->sites.list[i].is_wanted && !object->sites.list[i].is_on)
			return true;
	return false;
}

/* Switch the sites of an object that can be switched while threads run. */
static void switch_object(struct usdt_object *object)
{
	object->is_updating = object->text && is_safe(object->text, object->text_end);
	if (!object->is_updating) {
		has_put_off |= object->text != 0;
		return;
	}
	want_sites(object);
	if (has_new(object) && ftrace_objects_are_safe())
		unwinders_serve();
	/* -EFAULT: the object was unmapped. */
	object->is_updating = usites_switch(&object->sites) != -EFAULT;
}

/* Note the error @r of still_flip() for the sites that it could not switch. */
static void note_left(struct usdt_object *object, int r)
{
	if (!r || r == -EBUSY || r == -ETIMEDOUT)
		r = -EAGAIN;
	for (uint32_t i = 0; i < object->sites.nr; i++) {
		struct usite *site = &object->sites.list[i];

		if (site->way == USITE_STILL && site->is_wanted != site->is_on && !site->error)
			site->error = r;
	}
}

static int end_update(struct usdt_object *object, int r)
{
	if (!object->is_updating)
		return 0;
	object->is_updating = false;
	note_left(object, r);
	count_semaphores(object);
	/* An event is on if it is on at some of its sites. */
	return report_failed(object);
}

static int update_all(void)
{
	int ret = 0, flipped, r;

	for (struct usdt_object *o = objects; o; o = o->next)
		switch_object(o);
	flipped = still_flip(&usdt_still);
	for (struct usdt_object *o = objects; o; o = o->next) {
		r = end_update(o, flipped);
		if (r && !ret)
			ret = r;
	}
	return ret;
}

/* ---- apply the server's block of objects ---- */

static struct usdt_object *find_object(uint64_t text)
{
	struct usdt_object *object = objects;

	while (object && object->text != text)
		object = object->next;
	return object;
}

/* Apply a row of the block.  An object that is not loaded in this process is
 * left out. */
static int take_row(const struct abi_usdt_object *row)
{
	struct usdt_object *object = row->text ? find_object(row->text) : NULL;
	struct loaded loaded;
	int r;

	if (!row->text)
		return -EINVAL;
	if (object && object->is_registered && object->id == row->table) {
		object->is_named = true;
		return 0;
	}
	if (object && is_gone(object)) {
		forget_object(object);
		object = NULL;
	}
	if (object && object->id != row->table)
		return 0;
	r = loaded_find(row->text, &loaded);
	if (!r && loaded.text != row->text)
		r = -ENOENT;
	if (!r && !is_safe(loaded.text, loaded.text_end)) {
		has_put_off = true;
		return 0;
	}
	if (!r && object)
		register_object(object, &loaded);
	else if (!r)
		r = add_object(row->table, &loaded);
	return r == -ENOENT ? 0 : r;
}

/* Remove the events of objects that the block does not name.  The code that was moved from
 * their sites is kept, because a thread may be executing it. */
static void remove_others(void)
{
	bool is_any = false;

	for (struct usdt_object *o = objects; o; o = o->next) {
		if (!o->is_registered || o->is_named)
			continue;
		event_stop_module(&o->module);
		is_any = true;
	}
	if (is_any)
		update_all();
	for (struct usdt_object *o = objects; o; o = o->next)
		if (o->is_registered && !o->is_named)
			unregister_object(o);
}

static int take_block(const struct abi_usdt *block, uint32_t nr)
{
	int ret = 0, r;

	for (struct usdt_object *o = objects; o; o = o->next)
		o->is_named = false;
	for (uint32_t i = 0; i < nr; i++) {
		struct abi_usdt_object row = block->objects[i];

		__asm__ volatile("" : "+m"(row));
		r = take_row(&row);
		if (r && !ret)
			ret = r;
	}
	remove_others();
	return ret;
}

static int read_block(void)
{
	/* acquire: the block is complete; mate: block_publish() [block.word] */
	uint64_t off = __atomic_load_n(&root_control->usdt, __ATOMIC_ACQUIRE);
	const struct abi_usdt *block = root_at(off);
	struct abi_usdt head;
	int r;

	if (!off)
		return take_block(NULL, 0);
	if (off % ABI_ALIGN || off < ABI_ARENA_OFF)
		return -EINVAL;
	r = root_populate(off, sizeof(head));
	if (r)
		return r;
	head = *block;
	__asm__ volatile("" : "+m"(head));
	if (head.magic != ABI_USDT_MAGIC || head.nr_objects > ABI_USDT_OBJECTS_MAX)
		return -EINVAL;
	r = root_populate(off, sizeof(head) + head.nr_objects * sizeof(block->objects[0]));
	return r ? r : take_block(block, head.nr_objects);
}

int usdt_apply(void)
{
	int r, ret;

	has_put_off = false;
	r = read_block();
	ret = update_all();
	return r ? r : ret;
}

int usdt_leave(void)
{
	return update_all();
}

/* Forget objects that were unloaded. */
static void forget_gone(void)
{
	for (struct usdt_object *o = objects; o; o = o->next)
		if (o->text && is_gone(o))
			forget_object(o);
}

void usdt_objects_changed(void)
{
	runtime_lock();
	forget_gone();
	if (root_control && (has_put_off || __atomic_load_n(&root_control->usdt,
							    __ATOMIC_RELAXED)))
		usdt_apply();
	runtime_unlock();
}
