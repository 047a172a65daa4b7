/* SPDX-License-Identifier: MIT */
/* Describe this process's modules and events to the server, in rows of the shared tables,
 * which are written under abi_control.table_lock. */
#include <elf.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "abi/control.h"
#include "abi/own_systems.h"
#include "arch/arch.h"
#include "base/bits.h"
#include "ring/shmlock.h"
#include "runtime/base/process.h"
#include "runtime/base/root.h"
#include "runtime/event/boot_events.h"
#include "runtime/event/format.h"
#include "runtime/event/late_event.h"
#include "runtime/event/printk_table.h"
#include "runtime/event/strings.h"
#include "runtime/event/table.h"
#include "runtime/unwind/image.h"
#include "runtime/unwind/unwind.h"
#include <ulf/event.h>

/* Returns the number of used bytes of the heap.  Any process of the root can change
 * this number, so load it once; the caller must check the value. */
static uint64_t heap_used(void)
{
	return __atomic_load_n(&root_control->heap_used, __ATOMIC_RELAXED);
}

static uint32_t nr_rows(const uint32_t *shared, uint32_t most)
{
	return min_u32(__atomic_load_n(shared, __ATOMIC_ACQUIRE), most);	/* [table.rows] */
}

/* Returns the number of rows of the table of events.  The first ABI_DYNAMIC rows are the
 * server's. */
static uint32_t nr_event_rows(void)
{
	uint32_t nr = nr_rows(&root_control->nr_events, ABI_EVENTS);

	return nr < ABI_DYNAMIC ? ABI_DYNAMIC : nr;
}

uint64_t table_heap_alloc(uint32_t bytes)
{
	uint64_t used = heap_used();
	uint64_t size = ALIGN_UP((uint64_t)bytes, 8);

	if (used % 8 || used > ABI_HEAP_BYTES || size > ABI_HEAP_BYTES - used ||
	    root_reach_heap(used + size))
		return 0;
	__atomic_store_n(&root_control->heap_used, used + size, __ATOMIC_RELAXED);
	return ABI_HEAP_OFF + used;
}

/* Copy the string @s to the heap.  Returns the offset of the copy and, in *@ret_bytes,
 * its size with the NUL.  Returns 0 if there is no space. */
static uint64_t heap_string(const char *s, uint32_t *ret_bytes)
{
	uint32_t bytes = (uint32_t)strlen(s) + 1;
	uint64_t off = table_heap_alloc(bytes);

	if (off) {
		memcpy(root_heap_at(off, bytes), s, bytes);
		*ret_bytes = bytes;
	}
	return off;
}


/* Returns the address of the object's first memory page. */
static uint64_t base_of(const struct dl_phdr_info *info)
{
	int i = 0;

	while (info->dlpi_phdr[i].p_type != PT_LOAD)
		i++;
	return arch_page_start(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
}

static int look_at(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct table_object *object = arg;
	uint64_t at = (uint64_t)object->inside - info->dlpi_addr;

	(void)bytes;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || at - p->p_vaddr >= p->p_memsz)
			continue;
		object->headers = (struct image_headers){
			info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr,
		};
		object->name = info->dlpi_name;
		object->base = base_of(info);
		return 1;
	}
	return 0;
}

struct table_object table_find_object(const struct ulf_module *module)
{
	struct table_object object = { .inside = module };

	dl_iterate_phdr(look_at, &object);
	return object;
}

/* Returns true if @object is the program itself.  The kernel passes the address of the
 * program's headers in AT_PHDR. */
static bool is_program(const struct table_object *object)
{
	const ElfW(Phdr) *phdr = object->headers.phdr;

	if (object->made_id)
		return !*object->name;
	return !phdr || (uint64_t)phdr == getauxval(AT_PHDR);
}

/*
 * Returns true if @module is the program itself.  Uses _dl_find_object() if libc has it,
 * because this function takes no lock.  Other functions take a lock of libc.  If another
 * thread of the parent held this lock during fork(), a child would wait for it for ever in
 * exit().
 */
bool table_is_program(const struct ulf_module *module)
{
	uint64_t headers = getauxval(AT_PHDR);
	struct table_object object;
	struct image image;

	if (unwind_find((uint64_t)module, &image))
		return headers >= image.start && headers < image.end;
	object = table_find_object(module);
	return is_program(&object);
}

static bool has_module(const struct abi_process *slot, void *arg)
{
	uint32_t row = *(uint32_t *)arg;
	uint64_t modules = __atomic_load_n(&slot->modules[row / 64],
					   __ATOMIC_ACQUIRE);	/* [table.module] */

	return modules >> (row % 64) & 1;
}

/* Returns true if the heap has a copy of the bytes @data at offset @off. */
static bool heap_has(uint64_t off, const void *data, uint64_t bytes)
{
	const void *at = root_heap_at(off, bytes);

	return at && !memcmp(at, data, bytes);
}

/* Returns true if the build ids of @row, which is in shared memory, and @object
 * are equal. */
static bool is_same_object(const struct abi_module *row,
			   const struct abi_module *object)
{
	return row->build_id_bytes == object->build_id_bytes &&
	       !memcmp(row->build_id, object->build_id, object->build_id_bytes);
}

/* Returns the number of the row that @object had before in the table of modules, or @nr
 * if there is none.  The row must have the address of @object, or an address at which
 * no process has the object any more.  The build ids must be equal, because an object
 * that was built again may have other events. */
static uint32_t find_module(const char *path, const struct abi_module *object,
			    uint32_t nr)
{
	struct abi_module *rows = root_at(ABI_MODULES_OFF);
	size_t path_bytes = strlen(path) + 1;
	uint32_t found = nr;

	for (uint32_t i = 0; i < nr; i++) {
		if (root_populate_row(&rows[i]) ||
		    !heap_has(__atomic_load_n(&rows[i].path, __ATOMIC_RELAXED), path,
			      path_bytes) ||
		    !is_same_object(&rows[i], object))
			continue;
		if (rows[i].base == object->base)
			return i;
		if (found == nr && !process_any(has_module, &i))
			found = i;
	}
	return found;
}

/* Find the row of the object @loaded in the table of modules, or add a row.  Returns the
 * number of the row.  Returns -ENOSPC if there is no space. */
static int module_row(const struct table_object *loaded)
{
	struct abi_module *rows = root_at(ABI_MODULES_OFF), *row;
	uint32_t nr = nr_rows(&root_control->nr_modules, ABI_MODULES), i;
	const char *path = root_exe();
	struct abi_module object = { 0 };
	char buf[PATH_MAX];

	if (!is_program(loaded))
		path = image_absolute(loaded->name, buf, sizeof(buf));
	object.base = loaded->base;
	if (loaded->made_id) {	/* libulf itself has made this module for an object.
				 * The number made_id in place of the build id gives the
				 * module a row of its own, so that its events can be
				 * removed alone. */
		object.build_id_bytes = sizeof(loaded->made_id);
		memcpy(object.build_id, &loaded->made_id, sizeof(loaded->made_id));
	} else {
		object.build_id_bytes = image_build_id(&loaded->headers, object.build_id,
						       sizeof(object.build_id));
	}
	i = find_module(path, &object, nr);
	row = &rows[i];
	if (i < nr) {
		__atomic_store_n(&row->base, object.base, __ATOMIC_RELAXED);
		return (int)i;
	}
	if (nr >= ABI_MODULES || root_populate_row(row))
		return -ENOSPC;
	object.path = heap_string(path, &object.path_bytes);
	if (!object.path)
		return -ENOSPC;
	*row = object;
	__atomic_store_n(&root_control->nr_modules, nr + 1, __ATOMIC_RELEASE);	/* [table.rows] */
	return (int)nr;
}

static uint32_t hash_more(uint32_t hash, const void *data, size_t bytes)
{
	const uint8_t *at = data;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ at[i]) * 16777619u;
	return hash;
}

uint32_t table_hash(const void *data, uint32_t bytes)
{
	return hash_more(2166136261u, data, bytes);
}

static uint32_t hash_name(const struct ulf_event *event)
{
	uint32_t hash = table_hash(event->system,
				   (uint32_t)strlen(event->system) + 1);

	return hash_more(hash, event->name, strlen(event->name));
}

/* Returns true if the events of the rows @row and @new have equal formats.  @row
 * is in shared memory, @new in private memory. */
static bool is_same_bytes(const struct abi_event *row, const struct abi_event *new)
{
	return row->hash == new->hash && row->blob_bytes == new->blob_bytes &&
	       heap_has(__atomic_load_n(&row->blob, __ATOMIC_RELAXED),
			root_heap_at(new->blob, new->blob_bytes), new->blob_bytes);
}

/* Find a row of the table of events that has the module and the format of @row.  Returns
 * the number of the row, or -ENOENT.  @nr: number of rows to search. */
static int find_row(const struct abi_event *row, uint32_t nr)
{
	for (uint32_t i = ABI_DYNAMIC; i < nr; i++) {
		const struct abi_event *other = root_event(i);

		if (root_populate_row(other))
			break;
		if (other->module == row->module && is_same_bytes(other, row))
			return (int)i;
	}
	return -ENOENT;
}

static bool is_named(const struct abi_event *row, const struct ulf_event *event)
{
	uint64_t blob = __atomic_load_n(&row->blob, __ATOMIC_RELAXED);
	const struct abi_format *format = root_heap_at(blob, sizeof(*format));

	return format &&
	       heap_has(blob + __atomic_load_n(&format->system, __ATOMIC_RELAXED),
			event->system, strlen(event->system) + 1) &&
	       heap_has(blob + __atomic_load_n(&format->name, __ATOMIC_RELAXED),
			event->name, strlen(event->name) + 1);
}

/* Fill in the settings of a new row of the table of events.  In tracefs all events with
 * the same name are one event, so a new event gets the settings of an event with its
 * name.  The first event with a name gets the boot settings. */
static void take_first_settings(struct abi_event *row, const struct ulf_event *event,
				uint32_t nr)
{
	bool is_first = true;

	for (uint32_t i = nr; i-- > ABI_DYNAMIC; ) {
		const struct abi_event *other = root_event(i);

		if (root_populate_row(other))
			continue;
		if (other->name_hash != row->name_hash || !is_named(other, event))
			continue;
		row->wanted = __atomic_load_n(&other->wanted, __ATOMIC_RELAXED);
		is_first = false;
		if (is_same_bytes(other, row)) {
			row->twin = i + 1;
			break;
		}
	}
	if (is_first)
		row->wanted = boot_wanted(event->system, event->name);
}

/* A cache with the enum names of one system, that of the last event: the next event
 * most likely has the same system. */
struct names {
	const char *system;		/* name of the system; NULL: the cache is empty */
	uint64_t off;			/* offset of the names in the heap */
	uint32_t bytes;			/* size of the names, bytes; 0: the system has
					 * no names, or there is no space for them */
};

static void names_find(const struct ulf_module *module, const char *system,
		       struct names *names)
{
	if (names->system && !strcmp(names->system, system))
		return;
	names->system = system;
	names->bytes = format_names(module, system, NULL);
	names->off = names->bytes ? table_heap_alloc(names->bytes) : 0;
	if (names->off)
		format_names(module, system, root_heap_at(names->off, names->bytes));
	else
		names->bytes = 0;
}

static uint32_t flags_of(const struct ulf_event *event)
{
	return (event_is_late(event) ? ABI_EVENT_LATE : 0) |
	       (abi_is_own_system(event->system, strlen(event->system)) ? ABI_EVENT_OWN : 0);
}

/* Returns the number of the row of @event in the table of events, and adds the row if
 * there is none.  Returns -ENOSPC if there is no space.  @known: number of rows before
 * @module was registered. */
static int event_row(const struct ulf_module *module,
		     const struct ulf_event *event, int module_row,
		     uint32_t known, struct names *names)
{
	uint32_t nr = nr_event_rows();
	struct abi_event *row = root_event(nr), new = {
		.blob_bytes = format_blob(module, event, NULL),
		.module = (uint32_t)module_row,
		.name_hash = hash_name(event),
		.flags = flags_of(event),
	};
	uint64_t heap = heap_used();
	void *blob;
	int found;

	new.blob = table_heap_alloc(new.blob_bytes);
	if (!new.blob)
		return -ENOSPC;
	blob = root_heap_at(new.blob, new.blob_bytes);
	format_blob(module, event, blob);
	new.hash = table_hash(blob, new.blob_bytes);
	found = find_row(&new, known);
	if (found == -ENOENT && (nr >= ABI_EVENTS || root_populate_row(row)))
		found = -ENOSPC;
	if (found != -ENOENT) {
		/* Free the new format in the heap again: either the event gets the row of
		 * an earlier load of its module, or there is no space. */
		memset(blob, 0, new.blob_bytes);
		__atomic_store_n(&root_control->heap_used, heap, __ATOMIC_RELAXED);
		return found;
	}
	take_first_settings(&new, event, nr);
	names_find(module, event->system, names);
	new.names = names->off;
	new.names_bytes = names->bytes;
	*row = new;
	__atomic_store_n(&root_control->nr_events, nr + 1, __ATOMIC_RELEASE);	/* [table.rows] */
	return (int)nr;
}

static int register_rows(struct ulf_module *module, const struct table_object *object)
{
	uint32_t known = nr_event_rows();
	struct names names = { NULL, 0, 0 };
	int row = root_reach_heap(heap_used());

	if (!row)
		row = module_row(object);
	if (row < 0) {
		root_control->table_errors++;
		return row;
	}
	/* 1 + number of the module's row; NULL: the module has no row */
	module->priv = (void *)(uintptr_t)(row + 1);
	printk_register(module);
	strings_register(module, &((struct abi_module *)root_at(ABI_MODULES_OFF))[row]);
	for (struct ulf_event **e = module->events; e < module->events_end; e++) {
		int r = event_row(module, *e, row, known, &names);

		if (r < 0) {
			root_control->table_errors++;
			return r;
		}
		(*e)->row = (uint32_t)r;
		(*e)->tracepoint->event = *e;
		(*e)->id = ABI_EVENT_ID_FIRST + (uint32_t)r;
	}
	if (process_slot)
		__atomic_or_fetch(&process_slot->modules[row / 64],
				  1ull << (row % 64), __ATOMIC_RELEASE);	/* [table.module] */
	return 0;
}

static void tables_changed(void)
{
	__atomic_add_fetch(&root_control->tables_changed, 1, __ATOMIC_RELEASE); /* [table.change] */
}

void table_refuse_module(uint32_t version)
{
	if (!process_slot)
		return;
	__atomic_store_n(&process_slot->refused, version, __ATOMIC_RELAXED);
	tables_changed();
}

/* How often threads of this process yield while they wait for the lock of the
 * tables. */
static uint32_t patience = SHMLOCK_YIELDS;

int table_add_module(struct ulf_module *module, const struct table_object *object)
{
	uint64_t all = ~0ull, old;
	int r;

	if (module->events == module->events_end &&
	    module->formats == module->formats_end)
		return 0;
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, &old, 8);
	r = shmlock_take_patiently(&root_control->table_lock, shmlock_self(), &patience);
	if (!r) {
		r = register_rows(module, object);
		shmlock_drop(&root_control->table_lock);
	}
	arch_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &old, NULL, 8);
	tables_changed();
	return r;
}

void table_remove_module(struct ulf_module *module)
{
	uintptr_t row = (uintptr_t)module->priv - 1;

	if (!module->priv)
		return;
	module->priv = NULL;
	if (!root_control)
		return;
	if (process_slot)
		__atomic_and_fetch(&process_slot->modules[row / 64],
				   ~(1ull << (row % 64)), __ATOMIC_RELEASE);	/* [table.module] */
	tables_changed();
}
