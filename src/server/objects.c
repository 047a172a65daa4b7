/* SPDX-License-Identifier: MIT */
/*
 * The program says where its objects are loaded (abi_module: those that bring
 * tracepoints; abi_object: those that it started with, that came with tracepoints
 * or were on a stack; the server adds those whose functions are traced); names are
 * in the files.  A file that has changed since is known by its build id and gives
 * none; the program's own is read all the same while it runs (program.c).
 *
 * Objects come and go, and another may be where one was: of the abi_objects at an
 * address the newest that was there when the record was written.  Where none tells:
 * the record's own module, then the modules that are loaded now, then the objects,
 * the newest first, then the other modules.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "arch/x86_64/clock.h"
#include "base/bits.h"
#include "server/elf_args.h"
#include "server/mapping.h"
#include "server/objects.h"
#include "server/program.h"
#include "server/root.h"
#include "server/shm.h"
#include "server/symbols.h"
#include "server/timebase.h"

#define PATH_BYTES_MAX	4096u
#define BYTES_MAX	(64u << 20)	/* of files, for all of a root */
#define ARGS_BYTES_MAX	(256u << 20)	/* of debug information, the same */
#define OBJECTS		(ABI_MODULES + ABI_OBJECTS)

struct objects {
	struct object objects[OBJECTS];		/* by row of abi_module, abi_object */
	struct object_file files[OBJECTS];	/* of these, in order of need */
	uint32_t nr_files;
	uint64_t bytes_left;			/* that may still be read */
	uint64_t args_bytes_left;		/* the same of debug information */
};

struct objects *objects_new(void)
{
	struct objects *objects = calloc(1, sizeof(*objects));

	if (objects)
		*objects = (struct objects) {
			.bytes_left = BYTES_MAX, .args_bytes_left = ARGS_BYTES_MAX,
		};
	return objects;
}

void objects_free(struct objects *objects)
{
	if (!objects)
		return;
	for (uint32_t i = 0; i < objects->nr_files; i++) {
		free(objects->files[i].path);
		elf_args_close(objects->files[i].args);
		elf_symbols_done(&objects->files[i].symbols);
	}
	free(objects);
}

bool objects_have_files(const struct objects *objects)
{
	return objects->nr_files;
}

/* What the program says of one. */
struct told {
	char *path;			/* NULL: nothing that makes sense */
	uint8_t build_id[32];
	uint32_t build_id_bytes;
};

/* A copy of the module's path, or NULL. */
static char *module_path(const struct root *root, const struct abi_module *module)
{
	uint64_t off = module->path, bytes = module->path_bytes;

	if (!bytes || bytes > PATH_BYTES_MAX || off < root->heap_off ||
	    off > root->arena_off || bytes > root->arena_off - off)
		return NULL;
	return strndup((const char *)root->memory->addr + off, bytes);
}

static const struct abi_object *seen_row(const struct root *root, uint32_t number)
{
	return &root->objects_table[number - ABI_MODULES];
}

/* @number: of objects.objects; the path is to be freed. */
static struct told object_told(const struct root *root, uint32_t number)
{
	struct told told = { 0 };

	if (number < ABI_MODULES) {
		struct abi_module module = *(const volatile struct abi_module *)
			&root->modules_table[number];

		told.path = module_path(root, &module);
		told.build_id_bytes = module.build_id_bytes;
		memcpy(told.build_id, module.build_id, sizeof(told.build_id));
	} else {
		struct abi_object object =
			*(const volatile struct abi_object *)seen_row(root, number);

		told.path = strndup(object.path, sizeof(object.path));
		told.build_id_bytes = object.build_id_bytes;
		memcpy(told.build_id, object.build_id, sizeof(told.build_id));
	}
	if (told.build_id_bytes > sizeof(told.build_id))
		told.build_id_bytes = 0;
	return told;
}

/* The file of that object, read; takes its path over. */
static struct object_file *get_file(const struct root *root, const struct told *told)
{
	struct objects *objects = root->objects;
	struct program_file found;
	struct object_file *file;

	for (uint32_t i = 0; i < objects->nr_files; i++) {
		file = &objects->files[i];
		if (!strcmp(file->path, told->path) &&
		    file->build_id_bytes == told->build_id_bytes &&
		    !memcmp(file->build_id, told->build_id, file->build_id_bytes)) {
			free(told->path);
			return file;
		}
	}
	file = &objects->files[objects->nr_files++];	/* one an object at most */
	file->path = told->path;
	file->build_id_bytes = told->build_id_bytes;
	memcpy(file->build_id, told->build_id, file->build_id_bytes);
	program_file_find(root, file->path, &found);
	file->is_readable = !elf_symbols_read(found.path, file->build_id,
					      file->build_id_bytes,
					      &objects->bytes_left, &file->symbols);
	program_file_done(&found);
	return file;
}

static uint32_t nr_modules(const struct root *root)
{
	return min_u32(shm_load(&root->control->nr_modules), ABI_MODULES);
}

uint32_t objects_nr_rows(const struct root *root)
{
	if (!root->objects_table)
		return 0;
	return min_u32(shm_load(&root->control->nr_objects), ABI_OBJECTS);
}

static void try_object(struct root *root, uint32_t number)
{
	struct object *object = &root->objects->objects[number];
	struct object_file *file;
	struct told told;

	if (number >= ABI_MODULES && !shm_load(&seen_row(root, number)->is_there))
		return;			/* it is being written */
	object->is_tried = true;
	told = object_told(root, number);
	if (!told.path)
		return;
	file = get_file(root, &told);
	object->is_program = program_is(root, file->path);
	object->file = file->is_readable ? file : NULL;
}

static uint64_t object_base(const struct root *root, uint32_t number)
{
	return number < ABI_MODULES ? shm_load(&root->modules_table[number].base) :
				      shm_load(&seen_row(root, number)->start);
}

/* The object of that number, where it was loaded last; NULL: not readable. */
static struct object *get_object(struct root *root, uint32_t number)
{
	struct object *object = &root->objects->objects[number];

	if (!object->is_tried)
		try_object(root, number);
	if (!object->file)
		return NULL;
	object->bias = object_base(root, number) -
		       (object->file->symbols.first & ~4095ull);
	return object;
}

static bool is_loaded(const struct root *root, uint32_t row)
{
	return root->modules_seen[row / 64] >> row % 64 & 1;
}

/* The number of the one that comes at place @at of 2 * @modules + @seen: modules that
 * are loaded, objects, modules that were loaded; the newest first.  -ENOENT: none. */
static int object_in_order(const struct root *root, uint32_t modules, uint32_t seen,
			   uint32_t at)
{
	bool is_first = at < modules;
	uint32_t row;

	if (!is_first && at < modules + seen)
		return (int)(ABI_MODULES + modules + seen - 1 - at);
	row = modules - 1 - (is_first ? at : at - modules - seen);
	return is_loaded(root, row) == is_first ? (int)row : -ENOENT;
}

/* Can it, by what is known without its file? */
static bool can_have(const struct root *root, uint32_t number, uint64_t addr)
{
	const struct abi_object *row;

	if (number < ABI_MODULES)
		return true;
	row = seen_row(root, number);
	return addr - shm_load(&row->start) < shm_load(&row->end) - shm_load(&row->start);
}

struct object *objects_next(struct root *root, uint64_t addr, uint32_t *at)
{
	uint32_t modules = nr_modules(root), seen = objects_nr_rows(root);

	while (*at < 2 * modules + seen) {
		int number = object_in_order(root, modules, seen, (*at)++);
		struct object *object = NULL;

		if (number >= 0 && (!addr || can_have(root, (uint32_t)number, addr)))
			object = get_object(root, (uint32_t)number);
		if (object)
			return object;
	}
	return NULL;
}

static bool object_has(const struct object *object, uint64_t addr)
{
	const struct elf_symbols *symbols = &object->file->symbols;
	uint64_t in_file = addr - object->bias;

	return in_file >= symbols->first && in_file < symbols->end;
}

/* The number of the object that was at @addr when the record was written, by the
 * times that it was first seen at.  -ENOENT: that is not known. */
static int number_by_time(const struct root *root, const struct symbols_from *from,
			  uint64_t addr)
{
	uint32_t nr = objects_nr_rows(root);
	uint64_t tsc = 0;

	if (!from->instance || nr >= ABI_OBJECTS)
		return -ENOENT;		/* a newer one may have found no row */
	for (uint32_t i = nr; i--; ) {
		const struct abi_object *row = &root->objects_table[i];

		if (!shm_load(&row->is_there) || !can_have(root, ABI_MODULES + i, addr))
			continue;
		if (!tsc)
			tsc = timebase_tsc(from->instance, from->time);
		if (shm_load(&row->since) <= tsc)
			return (int)(ABI_MODULES + i);
	}
	return -ENOENT;
}

struct object *objects_find(struct root *root, const struct symbols_from *from,
			    uint64_t addr)
{
	int number = number_by_time(root, from, addr);
	struct object *object;
	uint32_t at = 0;

	if (number >= 0)
		return get_object(root, (uint32_t)number);
	object = from->module < nr_modules(root) ? get_object(root, from->module) : NULL;
	while (!object || !object_has(object, addr)) {
		object = objects_next(root, addr, &at);
		if (!object)
			return NULL;
	}
	return object;
}

static void read_args(const struct root *root, struct object_file *file)
{
	struct program_file found;

	program_file_find(root, file->path, &found);
	file->args = elf_args_open(found.path, file->build_id, file->build_id_bytes,
				   &file->symbols, &root->objects->args_bytes_left);
	program_file_done(&found);
	file->is_args_tried = true;
}

const struct elf_params *objects_params(struct root *root,
					const struct symbols_from *from, uint64_t addr)
{
	const struct object *object = objects_find(root, from, addr);
	struct object_file *file = object ? object->file : NULL;

	if (file && !file->is_args_tried)
		read_args(root, file);
	return file && file->args ? elf_args_find(file->args, addr - object->bias) : NULL;
}

/* ---- what the server itself sees ---- */

/* Its path may be another one to the same file. */
static bool is_same(const struct abi_object *row, const struct abi_object *object)
{
	return row->start == object->start &&
	       row->build_id_bytes == object->build_id_bytes &&
	       (object->build_id_bytes ?
		!memcmp(row->build_id, object->build_id, sizeof(row->build_id)) :
		!strncmp(row->path, object->path, sizeof(row->path)));
}

/* Is the newest of those that lie there this very one? */
static bool is_told(const struct root *root, const struct abi_object *object,
		    uint32_t known)
{
	for (uint32_t i = objects_nr_rows(root); i-- > known; ) {
		const struct abi_object *row = &root->objects_table[i];

		if (shm_load(&row->is_there) && row->start < object->end &&
		    object->start < row->end)
			return is_same(row, object);
	}
	return known;
}

bool objects_can_be(const struct root *root, const struct symbols_from *from,
		    uint64_t addr, const struct abi_object *object)
{
	int number = number_by_time(root, from, addr);

	return number < 0 || is_same(seen_row(root, (uint32_t)number), object);
}

void objects_tell(struct root *root, const struct abi_object *object, uint32_t known)
{
	uint32_t *counter = &root->control->nr_objects;
	uint32_t nr = shm_load(counter);
	struct abi_object *row;

	if (!root->objects_table || is_told(root, object, known))
		return;
	do {
		if (nr >= ABI_OBJECTS)
			return;
		row = &root->objects_table[nr];
		if (root_reserve(root, row, sizeof(*row)))
			return;
	} while (!__atomic_compare_exchange_n(counter, &nr, nr + 1, false,
					      __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
	*row = *object;
	row->since = arch_tsc();
	shm_store(&row->is_there, 1);
}
