/* SPDX-License-Identifier: MIT */
/*
 * The program says where its objects are loaded (abi_module: those that bring
 * tracepoints); names and constant strings are in the files.  A file that has
 * changed since is known by its build id and gives none.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "server/elf.h"
#include "server/mapping.h"
#include "server/root.h"
#include "server/shm.h"
#include "server/symbols.h"

#define PATH_BYTES_MAX	4096u
#define STRINGS		256u		/* kept, a power of two */

struct object {
	bool is_tried;			/* the rest is valid, or nothing there */
	uint64_t bias;			/* address in memory - in the file */
	char *path;			/* NULL: not readable */
	struct elf_symbols symbols;
};

/* A string that was asked for; few are asked for again and again. */
struct string {
	uint64_t addr;			/* 0: free */
	char *text;			/* NULL: there is none */
};

struct symbols {
	struct object objects[ABI_MODULES];	/* by row of abi_module */
	struct string strings[STRINGS];		/* by address; the newest stays */
};

struct symbols *symbols_new(void)
{
	return calloc(1, sizeof(struct symbols));
}

void symbols_free(struct symbols *symbols)
{
	if (!symbols)
		return;
	for (uint32_t i = 0; i < ABI_MODULES; i++) {
		free(symbols->objects[i].path);
		elf_symbols_done(&symbols->objects[i].symbols);
	}
	for (uint32_t i = 0; i < STRINGS; i++)
		free(symbols->strings[i].text);
	free(symbols);
}

/* A copy of the module's path, or NULL. */
static char *module_path(const struct root *root, const struct abi_module *module)
{
	uint64_t off = shm_load(&module->path);
	uint64_t bytes = shm_load(&module->path_bytes);

	if (!bytes || bytes > PATH_BYTES_MAX || off < root->heap_off ||
	    off > root->arena_off || bytes > root->arena_off - off)
		return NULL;
	return strndup((const char *)root->memory->addr + off, bytes);
}

/* The module's row, with no more build id than fits. */
static struct abi_module module_row(const struct root *root, uint32_t row)
{
	struct abi_module module =
		*(const volatile struct abi_module *)&root->modules_table[row];

	if (module.build_id_bytes > sizeof(module.build_id))
		module.build_id_bytes = 0;
	return module;
}

static void object_read(const struct root *root, uint32_t row, struct object *object)
{
	struct abi_module module = module_row(root, row);
	char *path = module_path(root, &root->modules_table[row]);

	object->is_tried = true;
	if (!path || elf_symbols_read(path, module.build_id, module.build_id_bytes,
				      &object->symbols)) {
		free(path);
		return;
	}
	object->bias = module.base - (object->symbols.first & ~4095ull);
	object->path = path;
}

/* The object of that row, NULL behind the last; one without path is empty. */
static struct object *get_object(struct root *root, uint32_t row)
{
	struct object *object;

	if (row >= ABI_MODULES || row >= shm_load(&root->control->nr_modules))
		return NULL;
	object = &root->symbols->objects[row];
	if (!object->is_tried)
		object_read(root, row, object);
	return object;
}

/* The object that @addr is in, or NULL. */
static struct object *find_object(struct root *root, uint64_t addr)
{
	struct object *object;

	for (uint32_t row = 0; (object = get_object(root, row)); row++) {
		uint64_t in_file = addr - object->bias;

		if (object->path && in_file >= object->symbols.first &&
		    in_file < object->symbols.end)
			return object;
	}
	return NULL;
}

int symbols_print(struct root *root, uint64_t addr, enum print_symbol style,
		  struct text *out)
{
	/* a return address may lie behind the end of its caller */
	uint64_t at = addr - (style == PRINT_SYMBOL_RETURN);
	const struct object *object = find_object(root, at);
	const struct elf_symbol *symbol;

	symbol = object ? elf_symbols_find(&object->symbols, at - object->bias) : NULL;
	if (!symbol)
		return -ENOENT;
	text_puts(out, symbol->name);
	if (style == PRINT_SYMBOL_NAME)
		return 0;
	text_printf(out, "+0x%" PRIx64 "/0x%" PRIx64,
		    addr - object->bias - symbol->addr, symbol->size);
	/* The first is the program itself. */
	if (object != root->symbols->objects)
		text_printf(out, " [%s]", basename(object->path));
	return 0;
}

/* The first is the program itself: it has no module's name. */
static void list_function(const struct object *object, bool is_program,
			  uint64_t addr, const char *name, struct text *out)
{
	if (is_program)
		text_printf(out, "%016" PRIx64 " t %s\n", object->bias + addr, name);
	else
		text_printf(out, "%016" PRIx64 " t %s\t[%s]\n", object->bias + addr,
			    name, basename(object->path));
}

void symbols_list(struct root *root, struct text *out)
{
	struct object *object;

	/* The address that markers have: see line.c. */
	text_printf(out, "%016x t tracing_mark_write\n%016x t _end\n", 0, 1);
	for (uint32_t row = 0; (object = get_object(root, row)); row++) {
		const struct elf_symbols *symbols = &object->symbols;

		if (!object->path)
			continue;
		for (uint32_t i = 0; i < symbols->nr; i++)
			list_function(object, row == 0, symbols->rows[i].addr,
				      symbols->rows[i].name, out);
		list_function(object, row == 0, symbols->end, "_end", out);
	}
}

int symbols_string(struct root *root, uint64_t addr, struct text *out)
{
	struct string *string = &root->symbols->strings[(addr ^ addr >> 8) % STRINGS];
	const struct object *object;
	struct abi_module module;

	if (string->addr != addr) {
		free(string->text);
		*string = (struct string) { .addr = addr };
		object = find_object(root, addr);
		if (object) {
			module = module_row(root, object - root->symbols->objects);
			string->text = elf_string_read(object->path, module.build_id,
						       module.build_id_bytes,
						       addr - object->bias);
		}
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

	for (uint32_t row = 0; (object = get_object(root, row)); row++) {
		const struct elf_symbols *symbols = &object->symbols;

		for (uint32_t i = 0; object->path && i < symbols->nr; i++) {
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
	const struct object *object = find_object(root, addr);
	const struct elf_symbol *symbol =
		object ? elf_symbols_find(&object->symbols, addr - object->bias) : NULL;

	if (!symbol)
		return -ENOENT;
	tell_range(object, symbol, ret_start, ret_end);
	return 0;
}
