/* SPDX-License-Identifier: MIT */
/*
 * The program says where its objects are loaded (abi_module: those that bring
 * tracepoints; abi_object: those that it started with or that were on a stack);
 * names and constant strings are in the files.  A file that has changed since is
 * known by its build id and gives none.
 *
 * Objects come and go, and another may be where one was: the record's own
 * module is asked first, then the modules that are loaded now, then the objects,
 * the newest first, then the other modules.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "server/elf.h"
#include "server/mapping.h"
#include "server/root.h"
#include "server/shm.h"
#include "server/symbols.h"

#define PATH_BYTES_MAX	4096u
#define STRINGS		256u		/* kept, a power of two */
#define BYTES_MAX	(64u << 20)	/* of files, for all of a root */
#define OBJECTS		(ABI_MODULES + ABI_OBJECTS)

/* What is loaded to several places is read once. */
struct file {
	char *path;
	uint8_t build_id[32];
	uint32_t build_id_bytes;
	bool is_readable;
	struct elf_symbols symbols;
};

struct object {
	bool is_tried;
	bool is_program;		/* it has no module's name */
	const struct file *file;	/* NULL: none that is readable */
	uint64_t bias;			/* address in memory - in the file */
};

/* What the program says of one. */
struct told {
	char *path;			/* NULL: nothing that makes sense */
	uint8_t build_id[32];
	uint32_t build_id_bytes;
};

/* A string that was asked for; few are asked for again and again. */
struct string {
	uint64_t addr;			/* 0: free */
	uint32_t module;		/* of the record */
	char *text;			/* NULL: there is none */
};

struct symbols {
	struct object objects[OBJECTS];		/* by row of abi_module, abi_object */
	struct file files[OBJECTS];		/* of these, in order of need */
	uint32_t nr_files;
	uint64_t bytes_left;			/* that may still be read */
	struct string strings[STRINGS];		/* by address; the newest stays */
	uint32_t tables_seen;			/* tables_changed of their time */
};

struct symbols *symbols_new(void)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));

	if (symbols)
		symbols->bytes_left = BYTES_MAX;
	return symbols;
}

static void forget_strings(struct symbols *symbols)
{
	for (uint32_t i = 0; i < STRINGS; i++) {
		free(symbols->strings[i].text);
		symbols->strings[i] = (struct string) { 0 };
	}
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (uint32_t i = 0; i < symbols->nr_files; i++) {
		free(symbols->files[i].path);
		elf_symbols_done(&symbols->files[i].symbols);
	}
	forget_strings(symbols);
	free(symbols);
}

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

/* @number: of symbols.objects; the path is to be freed. */
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
static const struct file *get_file(struct symbols *symbols, const struct told *told)
{
	struct file *file;

	for (uint32_t i = 0; i < symbols->nr_files; i++) {
		file = &symbols->files[i];
		if (!strcmp(file->path, told->path) &&
		    file->build_id_bytes == told->build_id_bytes &&
		    !memcmp(file->build_id, told->build_id, file->build_id_bytes)) {
			free(told->path);
			return file;
		}
	}
	file = &symbols->files[symbols->nr_files++];	/* one an object at most */
	file->path = told->path;
	file->build_id_bytes = told->build_id_bytes;
	memcpy(file->build_id, told->build_id, file->build_id_bytes);
	file->is_readable = !elf_symbols_read(file->path, file->build_id,
					      file->build_id_bytes,
					      &symbols->bytes_left, &file->symbols);
	return file;
}

static uint32_t nr_modules(const struct root *root)
{
	return min_u32(shm_load(&root->control->nr_modules), ABI_MODULES);
}

static uint32_t nr_seen(const struct root *root)
{
	if (!root->objects_table)
		return 0;
	return min_u32(shm_load(&root->control->nr_objects), ABI_OBJECTS);
}

static void try_object(struct root *root, uint32_t number)
{
	struct object *object = &root->symbols->objects[number];
	const struct abi_control *control = root->control;
	const struct file *file;
	struct told told;

	if (number >= ABI_MODULES && !shm_load(&seen_row(root, number)->is_there))
		return;			/* it is being written */
	object->is_tried = true;
	told = object_told(root, number);
	if (!told.path)
		return;
	file = get_file(root->symbols, &told);
	object->is_program = !strncmp(file->path, control->exe,
				      sizeof(control->exe) - 1);
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
	struct object *object = &root->symbols->objects[number];

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

/* The next of the objects that may have @addr (0: of all), from *@at on.  NULL
 * behind the last. */
static struct object *next_object(struct root *root, uint64_t addr, uint32_t *at)
{
	uint32_t modules = nr_modules(root), seen = nr_seen(root);

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

/* The object that @addr, in a record of @module, is in; or NULL. */
static struct object *find_object(struct root *root, uint32_t module, uint64_t addr)
{
	struct object *object =
		module < nr_modules(root) ? get_object(root, module) : NULL;
	uint32_t at = 0;

	while (!object || !object_has(object, addr)) {
		object = next_object(root, addr, &at);
		if (!object)
			return NULL;
	}
	return object;
}

int symbols_print(struct root *root, uint32_t module, uint64_t addr,
		  enum print_symbol style, struct text *out)
{
	/* a return address may lie behind the end of its caller */
	uint64_t at = addr - (style == PRINT_SYMBOL_RETURN ||
			      style == PRINT_SYMBOL_CALLER);
	const struct object *object = find_object(root, module, at);
	const struct elf_symbol *symbol;
	uint64_t start;

	symbol = object ? elf_symbols_find(&object->file->symbols, at - object->bias) :
			  NULL;
	if (symbol)
		start = object->bias + symbol->addr;
	else if (functions_symbol(root, at, &symbol, &start))
		return -ENOENT;
	text_puts(out, symbol->name);
	if (style == PRINT_SYMBOL_NAME || style == PRINT_SYMBOL_CALLER)
		return 0;
	text_printf(out, "+0x%" PRIx64 "/0x%" PRIx64, addr - start, symbol->size);
	if (object && !object->is_program)
		text_printf(out, " [%s]", basename(object->file->path));
	return 0;
}

int symbols_file(struct root *root, uint64_t addr, struct text *out)
{
	const struct object *object = find_object(root, SYMBOLS_NO_MODULE, addr);

	if (!object)
		return -ENOENT;
	text_printf(out, "%s[+0x%" PRIx64 "]", object->file->path,
		    addr - object->bias);
	return 0;
}

static void list_function(const struct object *object, uint64_t addr,
			  const char *name, struct text *out)
{
	if (object->is_program)
		text_printf(out, "%016" PRIx64 " t %s\n", object->bias + addr, name);
	else
		text_printf(out, "%016" PRIx64 " t %s\t[%s]\n", object->bias + addr,
			    name, basename(object->file->path));
}

const char *const symbols_own[ABI_IPS] = {
	[ABI_IP_MARKER] = "tracing_mark_write",
	[ABI_IP_SNAPSHOT] = "tracing_snapshot",
};

void symbols_list(struct root *root, struct text *out)
{
	const struct object *object;
	uint32_t at = 0;

	for (unsigned int i = 0; i < ABI_IPS; i++)
		text_printf(out, "%016x t %s\n", i, symbols_own[i]);
	text_printf(out, "%016x t _end\n", ABI_IPS);
	while ((object = next_object(root, 0, &at))) {
		const struct elf_symbols *symbols = &object->file->symbols;

		/* not what was where another is now */
		if (find_object(root, SYMBOLS_NO_MODULE,
				object->bias + symbols->first) != object)
			continue;
		for (uint32_t i = 0; i < symbols->nr; i++)
			list_function(object, symbols->rows[i].addr,
				      symbols->rows[i].name, out);
		list_function(object, symbols->end, "_end", out);
	}
}

int symbols_string(struct root *root, uint32_t module, uint64_t addr,
		   struct text *out)
{
	struct symbols *symbols = root->symbols;
	struct string *string = &symbols->strings[(addr ^ addr >> 8) % STRINGS];
	uint32_t tables = shm_load(&root->control->tables_changed);
	const struct object *object;

	if (symbols->tables_seen != tables)
		forget_strings(symbols);
	symbols->tables_seen = tables;
	if (string->addr != addr || string->module != module) {
		free(string->text);
		*string = (struct string) { .addr = addr, .module = module };
		object = find_object(root, module, addr);
		if (object)
			string->text = elf_string_read(object->file->path,
						       object->file->build_id,
						       object->file->build_id_bytes,
						       addr - object->bias);
	}
	if (!string->text)
		return -ENOENT;
	text_puts(out, string->text);
	return 0;
}

static void tell_range(const struct object *object, const struct elf_symbol *symbol,
		       uint64_t *ret_start, uint64_t *ret_end)
{
	*ret_start = object->bias + symbol->addr;
	*ret_end = *ret_start + symbol->size;
}

int symbols_function(struct root *root, const char *name, size_t len,
		     uint64_t *ret_start, uint64_t *ret_end)
{
	struct object *object;
	uint32_t at = 0;

	while ((object = next_object(root, 0, &at))) {
		const struct elf_symbols *symbols = &object->file->symbols;

		for (uint32_t i = 0; i < symbols->nr; i++) {
			if (strncmp(symbols->rows[i].name, name, len) ||
			    symbols->rows[i].name[len])
				continue;
			tell_range(object, &symbols->rows[i], ret_start, ret_end);
			return 0;
		}
	}
	return -ENOENT;
}

int symbols_function_at(struct root *root, uint64_t addr, uint64_t *ret_start,
			uint64_t *ret_end)
{
	const struct object *object = find_object(root, SYMBOLS_NO_MODULE, addr);
	const struct elf_symbol *symbol =
		object ? elf_symbols_find(&object->file->symbols, addr - object->bias) :
			 NULL;

	if (!symbol)
		return -ENOENT;
	tell_range(object, symbol, ret_start, ret_end);
	return 0;
}
